import type { ToolKind } from '../session/event.ts'
import * as json from '../session/json.ts'
import { byWord } from './by-word.ts'

// Names of agents' tools in lower case, without `_`, `-` and anything before `__` or `.`.
const names: Readonly<Record<Exclude<ToolKind, 'other'>, string>> = {
  read: 'read readfile readmanyfiles readfiles view viewfile viewimage open openfile cat getfile readnotebook notebookread readresource readmcpresource readmcpresourcetool readlines scrollup scrolldown goto fetchrules readlints fsread filemap getterminaloutput geterrors getchangedfiles testfailure',
  edit: 'edit editfile write writefile writetofile create createfile newfilecreated editedexistingfile replaceinfile replace strreplace strreplaceeditor strreplacebasededittool fileeditor texteditor texteditorcodeexecution multiedit applypatch applydiff insertcontent insert append searchreplace searchandreplace editnotebook notebookedit patch rewrite reapply editor writenewfile applieddiff fswrite planningfileeditor inserteditintofile insertedit replacestringinfile multireplacestringinfile replacestring multireplacestring editnotebookfile texteditgroup',
  delete: 'delete deletefile remove removefile rm filedeleted',
  move: 'move movefile rename renamefile mv',
  search:
    'search searchfiles grep grepsearch rg ripgrep glob find findfile filesearch codebasesearch semsearch semanticsearch searchfile searchdir listfiles listfilestoplevel listfilesrecursive listdirectory listdir ls tree listcodedefinitionnames toolsearch lsp diagnostics searchfilecontent list codesearch ripgrepsearch ripgreprawsearch globfilesearch semanticsearchfull readsemsearchfiles deepsearch searchsymbols gotodefinition listcodeusages findtextinfiles findfiles searchcodebase grepfiles',
  execute:
    'bash shell exec execcommand executecommand executebash execute run runcommand runterminalcommand runterminalcmd runshellcommand terminal cmd command powershell python ipython executepython runipython executeipythoncell jupyter codeexecution bashcodeexecution codeinterpreter localshell localshellcall writestdin readbash stopbash writebash shelloutput bashoutput killshell killbash monitor taskoutput taskstop runcommands executecommands shellcommand unifiedexec executepowershell executecmd listbash readpowershell writepowershell stoppowershell listpowershell runinterminal runinterminal1 runtests runtask createandruntask runnotebookcell',
  fetch:
    'fetch webfetch websearch urlfetch browse browser browseraction browseinteractive fetchurl googlewebsearch googlesearch searchweb readurl openurl webscrape fetchcopilotclidocumentation fetchpullrequest fetchwebpage',
  think:
    'think thinking todowrite todoread todo updatetodos updateplan writetodos plan createplan updatetodolist memory savememory reporttaskprogress taskprogress focuschain tasktracker tasktracking taskcreate taskupdate tasklist taskget reportintent updatetopic checklist updatecurrentstep storememory managetodolist',
  switch_mode:
    'switchmode exitplanmode enterplanmode planmoderespond newtask planexit planenter enterworktree exitworktree',
}

const kinds = byWord(names)

// Affixes that VS Code and Cursor add to a name.
const around = /^(?:copilot|vscode)_|_(?:internal|v\d+)$/g

/**
 * Kind of a tool by its name, without the prefix of an MCP server; `other` if the name is not known. A call that only
 * views, made with an editing tool, is a read.
 */
export function toolKindOf(name: string, input?: unknown): ToolKind {
  const bare = name.replace(/^.*(?:__|\.|\/)(?=.)/, '').replaceAll(around, '')
  if (/^brows/i.test(bare)) return 'fetch'
  const kind = kinds.get(bare.toLowerCase().replaceAll(/[-_ ]/g, '')) ?? 'other'
  return kind === 'edit' && json.at(input, 'command') === 'view' ? 'read' : kind
}
