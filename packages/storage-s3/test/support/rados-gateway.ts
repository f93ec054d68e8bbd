import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, openSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

/** A Ceph cluster of one monitor and one store in memory, and its S3 gateway, on free ports of this machine. */
export interface RadosGateway {
  readonly endpoint: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  readonly startMs: number
  stop(): Promise<void>
}

const run = promisify(execFile)
const programs = ['ceph-mon', 'ceph-osd', 'radosgw', 'ceph', 'radosgw-admin', 'monmaptool']
const credentials = { accessKeyId: 'TENFOLDTEST', secretAccessKey: 'tenfold-test-secret' }
const patienceMs = 60_000

/** How to get the programs on Debian and Ubuntu. */
export const installRadosGateway = 'apt-get install radosgw ceph-mon ceph-osd ceph-common'

/** Programs that are not installed; the gateway can be started if the list is empty. */
export function missingPrograms(): string[] {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return programs.filter((name) => !folders.some((folder) => existsSync(join(folder, name))))
}

/** Starts the cluster. Throws with the ends of its logs if a part does not come up. */
export async function startRadosGateway(): Promise<RadosGateway> {
  const start = performance.now()
  const folder = await mkdtemp(join(tmpdir(), 'tenfold-ceph-'))
  const [messenger = 0, oldMessenger = 0, port = 0] = await freePorts(3)
  const clusterId = randomUUID()
  const address = `[v2:127.0.0.1:${messenger},v1:127.0.0.1:${oldMessenger}]`
  const config = join(folder, 'ceph.conf')
  for (const name of ['mon', 'osd']) await mkdir(join(folder, name))
  await writeFile(config, toIni(settings({ folder, clusterId, address, port })))

  const children: ChildProcess[] = []
  const killAll = (): void => {
    for (const child of children) child.kill('SIGKILL')
  }
  // Also if a test run ends by an error or an interrupt.
  const atExit = (): void => {
    killAll()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  process.once('exit', atExit)
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin`, CEPH_CONF: config }
  const daemon = (name: string, args: readonly string[]): void => {
    const log = openSync(join(folder, `${name}.out`), 'a')
    children.push(spawn(name, ['-c', config, ...args, '-f'], { env, stdio: ['ignore', log, log] }))
  }
  const command = async (name: string, args: readonly string[]): Promise<string> =>
    (await run(name, args, { env, timeout: patienceMs })).stdout
  const ceph = (...args: readonly string[]): Promise<string> =>
    command('ceph', ['-c', config, '--connect-timeout', '10', ...args])

  async function stop(): Promise<void> {
    const ended = children.map((child) =>
      child.exitCode === null && child.signalCode === null
        ? new Promise((resolve) => child.once('exit', resolve))
        : undefined,
    )
    killAll()
    await Promise.all(ended)
    process.off('exit', atExit)
    await rm(folder, { recursive: true, force: true })
  }

  try {
    const map = join(folder, 'monmap')
    await command('monmaptool', ['--create', '--addv', 'a', address, '--fsid', clusterId, map])
    await command('ceph-mon', ['-c', config, '-i', 'a', '--mkfs', '--monmap', map, '--keyring', '/dev/null'])
    daemon('ceph-mon', ['-i', 'a'])
    const storeId = randomUUID()
    await until('the monitor', async () => (await ceph('osd', 'new', storeId)) !== '')
    await command('ceph-osd', ['-c', config, '-i', '0', '--mkfs', '--osd-uuid', storeId])
    daemon('ceph-osd', ['-i', '0'])
    await ceph('osd', 'crush', 'add', 'osd.0', '1.0', 'root=default', 'host=localhost')
    await until('the store', async () => {
      const status: { num_up_osds?: number } = JSON.parse(await ceph('osd', 'stat', '--format', 'json'))
      return status.num_up_osds === 1
    })
    const names = ['--uid', 'tenfold', '--display-name', 'tenfold']
    const keys = ['--access-key', credentials.accessKeyId, '--secret', credentials.secretAccessKey]
    await command('radosgw-admin', ['-c', config, '-n', 'client.rgw', 'user', 'create', ...names, ...keys])
    daemon('radosgw', ['-n', 'client.rgw'])
    const endpoint = `http://127.0.0.1:${port}`
    await until('the gateway', async () => (await fetch(endpoint)).ok)
    return { endpoint, credentials, startMs: performance.now() - start, stop }
  } catch (cause) {
    const logs = await Promise.all(programs.slice(0, 3).map((name) => endOfLog(join(folder, `${name}.out`))))
    await stop()
    throw new Error(
      `Ceph did not start: ${cause instanceof Error ? cause.message : cause}\n${logs.join('\n')}`,
      {
        cause,
      },
    )
  }
}

type Settings = Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>

interface Place {
  readonly folder: string
  readonly clusterId: string
  readonly address: string
  readonly port: number
}

/** No authentication within, one copy of everything, all in memory, and no waiting for other daemons. */
function settings({ folder, clusterId, address, port }: Place): Settings {
  const noAuth = {
    auth_cluster_required: 'none',
    auth_service_required: 'none',
    auth_client_required: 'none',
  }
  const places = {
    run_dir: folder,
    crash_dir: folder,
    admin_socket: join(folder, '$name.asok'),
    pid_file: join(folder, '$name.pid'),
    log_file: join(folder, '$name.log'),
    keyring: '/dev/null',
  }
  const onePool = {
    osd_pool_default_size: 1,
    osd_pool_default_min_size: 1,
    osd_pool_default_pg_num: 2,
    osd_pool_default_pgp_num: 2,
    osd_pool_default_pg_autoscale_mode: 'off',
    osd_crush_chooseleaf_type: 0,
    mon_allow_pool_size_one: true,
    mon_max_pg_per_osd: 1000,
    mon_osd_min_up_ratio: 0,
  }
  const fast = { paxos_propose_interval: 0.02, paxos_min_wait: 0.01, ms_tcp_nodelay: true }
  const local = { public_addr: '127.0.0.1', cluster_addr: '127.0.0.1', ms_bind_ipv6: false }
  return {
    global: {
      fsid: clusterId,
      mon_host: address,
      mon_initial_members: 'a',
      ...{ ...local, ...noAuth, ...places, ...onePool, ...fast },
    },
    'mon.a': { mon_data: join(folder, 'mon') },
    osd: {
      osd_data: join(folder, 'osd'),
      osd_objectstore: 'memstore',
      memstore_device_bytes: 8 * 2 ** 30,
      osd_class_update_on_start: false,
      osd_heartbeat_grace: 60,
    },
    'client.rgw': {
      rgw_frontends: `beast endpoint=127.0.0.1:${port} tcp_nodelay=1`,
      rgw_dns_name: 'localhost',
      rgw_enable_usage_log: false,
      rgw_thread_pool_size: 64,
      rgw_gc_max_objs: 8,
      // Needed without authentication.
      ms_mon_client_mode: 'crc',
      debug_rgw: 0,
    },
  }
}

function toIni(sections: Settings): string {
  return Object.entries(sections)
    .map(([name, values]) =>
      [`[${name}]`, ...Object.entries(values).map(([key, value]) => `${key} = ${value}`), ''].join('\n'),
    )
    .join('\n')
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + patienceMs
  let last: unknown
  while (performance.now() < end) {
    try {
      if (await look()) return
    } catch (error) {
      last = error
    }
    await sleep(50)
  }
  throw new Error(`${what} did not come up within ${patienceMs / 1000} s`, { cause: last })
}

async function endOfLog(path: string): Promise<string> {
  return existsSync(path) ? `${path}: ${(await readFile(path, 'utf8')).slice(-1500)}` : `${path}: not there`
}
