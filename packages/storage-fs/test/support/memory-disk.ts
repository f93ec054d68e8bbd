import { basename, dirname } from 'node:path'
import type { FileKind, FileSystem, OpenFile } from '../../src/file-system.ts'
import { systemError } from './failing-file-system.ts'

/** A file or folder, whatever its names. A crash cannot lose what is in `synced`. */
interface FileNode {
  readonly id: number
  data: Uint8Array
  synced: Uint8Array
}

interface FolderNode {
  readonly id: number
  readonly names: Map<string, Node>
  readonly synced: Map<string, Node>
  /** Changes of names that are not on the disk yet, in their order. Each may reach it alone. */
  pending: Change[]
}

type Node = FileNode | FolderNode

/** One step that a crash loses or keeps whole: names removed, and names added. */
interface Change {
  readonly remove?: string
  readonly add?: readonly [string, Node]
}

/** Contents of a disk after a crash: paths of folders, and of files with their bytes. */
export interface DiskImage {
  readonly folders: readonly string[]
  readonly files: ReadonlyMap<string, Uint8Array>
}

export interface MemoryDisk {
  readonly fs: FileSystem
  /** Every state that a crash at this moment can leave; if there are more than `limit`, that many, evenly spread. */
  crashStates(limit: number): { readonly images: DiskImage[]; readonly complete: boolean }
  /** The current contents, as if everything were synced. */
  image(): DiskImage
}

/** Options of `memoryDisk`. */
export interface MemoryDiskOptions {
  /** Initial contents of the disk, all synced. */
  readonly image?: DiskImage
  /** Receives each call that changed something, after it. */
  readonly onChange?: (call: string, path: string) => void
  /** Behaves as if the adapter forgot to sync. */
  readonly ignoreFileSync?: boolean
  readonly ignoreFolderSync?: boolean
  /** Has no hard links, like some network shares and USB sticks. */
  readonly noLinks?: boolean
  /** Finds names in any case, like Windows and macOS. */
  readonly foldCase?: boolean
}

const isFolder = (node: Node | undefined): node is FolderNode => node !== undefined && 'names' in node

const kindOfNode = (node: Node): FileKind & { size: number; mtimeMs: number } => ({
  isFile: () => !isFolder(node),
  isDirectory: () => isFolder(node),
  isSymbolicLink: () => false,
  size: isFolder(node) ? 0 : node.data.byteLength,
  mtimeMs: Date.now(),
})

/**
 * A file system in memory under a weak model of POSIX: bytes are on the disk after a sync of their file, names after
 * one of their folder, and until then each may be there or not, bytes also by half or as zeros. Paths are absolute.
 */
export function memoryDisk(options: MemoryDiskOptions = {}): MemoryDisk {
  const { onChange = () => undefined } = options
  let nodes = 0
  const root = newFolder()
  for (const path of options.image?.folders ?? []) addFolder(path)
  for (const [path, data] of options.image?.files ?? []) {
    const node = { id: ++nodes, data, synced: data }
    const folder = addFolder(dirname(path))
    folder.names.set(basename(path), node)
    folder.synced.set(basename(path), node)
  }

  function newFolder(): FolderNode {
    return { id: ++nodes, names: new Map(), synced: new Map(), pending: [] }
  }

  function addFolder(path: string): FolderNode {
    let folder = root
    for (const name of partsOf(path)) {
      const found = folder.names.get(name) ?? newFolder()
      if (!isFolder(found)) throw systemError('ENOTDIR')
      folder.names.set(name, found)
      folder.synced.set(name, found)
      folder = found
    }
    return folder
  }

  function spelled(folder: FolderNode, name: string): string {
    if (options.foldCase !== true || folder.names.has(name)) return name
    return [...folder.names.keys()].find((other) => other.toLowerCase() === name.toLowerCase()) ?? name
  }

  function find(path: string): Node | undefined {
    let node: Node = root
    for (const name of partsOf(path)) {
      if (!isFolder(node)) throw systemError('ENOTDIR')
      const next = node.names.get(spelled(node, name))
      if (next === undefined) return undefined
      node = next
    }
    return node
  }

  function get(path: string): Node {
    const node = find(path)
    if (node === undefined) throw systemError('ENOENT')
    return node
  }

  /** The folder of a path, and the last name of the path as that folder spells it. */
  function placeOf(path: string): { folder: FolderNode; name: string } {
    const folder = get(dirname(path))
    if (!isFolder(folder)) throw systemError('ENOTDIR')
    return { folder, name: spelled(folder, basename(path)) }
  }

  function apply(names: Map<string, Node>, change: Change): void {
    if (change.remove !== undefined) names.delete(change.remove)
    if (change.add !== undefined) names.set(...change.add)
  }

  function change(folder: FolderNode, step: Change, call: string, path: string): void {
    apply(folder.names, step)
    folder.pending.push(step)
    onChange(call, path)
  }

  function openFile(node: Node, path: string): OpenFile {
    const file = (): FileNode => {
      if (isFolder(node)) throw systemError('EISDIR')
      return node
    }
    return {
      async read(buffer, offset, length, position) {
        const part = file().data.subarray(position, position + length)
        buffer.set(part, offset)
        return { bytesRead: part.byteLength }
      },
      async write(buffer, offset, length, position) {
        const target = file()
        const data = new Uint8Array(Math.max(target.data.byteLength, position + length))
        data.set(target.data)
        data.set(buffer.subarray(offset, offset + length), position)
        target.data = data
        onChange('file.write', path)
        return { bytesWritten: length }
      },
      async sync() {
        if (isFolder(node)) {
          if (options.ignoreFolderSync === true) return
          for (const step of node.pending.splice(0)) apply(node.synced, step)
        } else if (options.ignoreFileSync !== true) node.synced = node.data
        onChange('file.sync', path)
      },
      stat: async () => ({ size: kindOfNode(node).size }),
      close: async () => undefined,
    }
  }

  const fs: FileSystem = {
    async open(path, flags) {
      if (flags !== 'wx') return openFile(get(path), path)
      const { folder, name } = placeOf(path)
      if (folder.names.has(name)) throw systemError('EEXIST')
      const none = new Uint8Array()
      const node = { id: ++nodes, data: none, synced: none }
      change(folder, { add: [name, node] }, 'open', path)
      return openFile(node, path)
    },
    async rename(from, to) {
      const source = placeOf(from)
      const target = placeOf(to)
      const node = get(from)
      if (isFolder(node)) throw new Error('not needed: rename of folders')
      if (isFolder(target.folder.names.get(target.name))) throw systemError('EISDIR')
      if (source.folder === target.folder) {
        change(target.folder, { remove: source.name, add: [target.name, node] }, 'rename', to)
        return
      }
      // A crash may keep what happened to one of the folders only.
      change(target.folder, { add: [target.name, node] }, 'rename', to)
      change(source.folder, { remove: source.name }, 'rename', from)
    },
    async link(existing, path) {
      if (options.noLinks === true) throw systemError('EPERM')
      const { folder, name } = placeOf(path)
      if (folder.names.has(name)) throw systemError('EEXIST')
      change(folder, { add: [name, get(existing)] }, 'link', path)
    },
    async unlink(path) {
      if (isFolder(get(path))) throw systemError('EISDIR')
      const { folder, name } = placeOf(path)
      change(folder, { remove: name }, 'unlink', path)
    },
    async mkdir(path) {
      const { folder, name } = placeOf(path)
      if (folder.names.has(name)) throw systemError('EEXIST')
      change(folder, { add: [name, newFolder()] }, 'mkdir', path)
    },
    lstat: async (path) => kindOfNode(get(path)),
    async readdir(path) {
      const folder = get(path)
      if (!isFolder(folder)) throw systemError('ENOTDIR')
      return [...folder.names].map(([name, node]) => ({ name, ...kindOfNode(node) }))
    },
    async access(path) {
      get(path)
    },
    async realpath(path) {
      let folder: Node = root
      let real = ''
      for (const part of partsOf(path)) {
        if (!isFolder(folder)) throw systemError('ENOTDIR')
        const name = spelled(folder, part)
        const next = folder.names.get(name)
        if (next === undefined) throw systemError('ENOENT')
        real += `/${name}`
        folder = next
      }
      return real === '' ? '/' : real
    },
  }

  /** All folders and files below the root by the names from `namesOf`, with the bytes from `bytesOf`. */
  function imageOf(
    namesOf: (folder: FolderNode) => ReadonlyMap<string, Node>,
    bytesOf: (file: FileNode) => Uint8Array,
  ): DiskImage {
    const folders: string[] = []
    const files = new Map<string, Uint8Array>()
    const walk = (folder: FolderNode, path: string): void => {
      for (const [name, node] of namesOf(folder)) {
        if (isFolder(node)) {
          folders.push(`${path}/${name}`)
          walk(node, `${path}/${name}`)
        } else files.set(`${path}/${name}`, bytesOf(node))
      }
    }
    walk(root, '')
    return { folders, files }
  }

  function crashStates(limit: number): { images: DiskImage[]; complete: boolean } {
    const choices: Choice[] = []
    for (const node of allNodes(root)) {
      if (isFolder(node)) {
        for (const step of node.pending) choices.push({ step })
      } else if (node.data !== node.synced) choices.push({ node, bytes: possibleBytes(node) })
    }
    const sizes = choices.map((choice) => ('step' in choice ? 2 : choice.bytes.length))
    const total = sizes.reduce((product, size) => product * size, 1)
    const images: DiskImage[] = []
    for (let index = 0; index < Math.min(total, limit); index++) {
      // Above the limit, states spread over all of them: the stride is a prime that divides no size.
      const state = total <= limit ? index : Math.floor((index * total) / limit + index * 7_919) % total
      const taken = new Set<Change>()
      const bytes = new Map<FileNode, Uint8Array>()
      let rest = state
      for (const choice of choices) {
        const size = 'step' in choice ? 2 : choice.bytes.length
        const pick = rest % size
        rest = Math.floor(rest / size)
        if ('step' in choice) {
          if (pick === 1) taken.add(choice.step)
        } else bytes.set(choice.node, choice.bytes[pick] ?? choice.node.data)
      }
      const namesOf = (folder: FolderNode): ReadonlyMap<string, Node> => {
        const names = new Map(folder.synced)
        for (const step of folder.pending) if (taken.has(step)) apply(names, step)
        return names
      }
      images.push(imageOf(namesOf, (file) => bytes.get(file) ?? file.data))
    }
    return { images, complete: total <= limit }
  }

  return {
    fs,
    crashStates,
    image: () =>
      imageOf(
        (folder) => folder.names,
        (file) => file.data,
      ),
  }
}

type Choice = { readonly step: Change } | { readonly node: FileNode; readonly bytes: readonly Uint8Array[] }

function partsOf(path: string): string[] {
  return path.split(/[\\/]/).filter((part) => part !== '')
}

/** Every node that a name leads to, or may lead to after a crash. */
function allNodes(root: FolderNode): Set<Node> {
  const found = new Set<Node>()
  const visit = (node: Node): void => {
    if (found.has(node)) return
    found.add(node)
    if (!isFolder(node)) return
    for (const next of [...node.names.values(), ...node.synced.values()]) visit(next)
    for (const step of node.pending) if (step.add !== undefined) visit(step.add[1])
  }
  visit(root)
  return found
}

/** Bytes of a file that was not synced: those of the last sync, the first half, zeros (delayed allocation), or all. */
function possibleBytes(file: FileNode): Uint8Array[] {
  const { data, synced } = file
  return [synced, data.slice(0, data.byteLength >> 1), new Uint8Array(data.byteLength), data]
}
