// The markup of the page, without any text of a log but its title: the script adds the rest.

const keys = [
  ['j  k', 'next, previous turn'],
  ['J  K', 'next, previous step'],
  ['Enter', 'unfold or fold'],
  ['e  E', 'next, previous failure'],
  [']  [', 'next, previous statement of the bundle'],
  ['/', 'search'],
  ['Esc', 'show everything again'],
  ['o  b', 'turns, bundle: show or hide'],
  ['t', 'light or dark'],
  ['?', 'this help'],
] as const

const keyList = keys
  .map(([names, meaning]) => {
    const caps = names
      .split('  ')
      .map((name) => `<kbd>${name}</kbd>`)
      .join(' ')
    return `<div><dt>${caps}</dt><dd>${meaning}</dd></div>`
  })
  .join('')

const close = (label: string): string => `<button type="button" class="dismiss quiet">${label}</button>`

/** Everything inside `<body>` except the data and the script, below a title that is HTML. */
export const pageShell = (title: string): string => `
<noscript><p>Allow this page to run its own script to read the session: it loads nothing.</p></noscript>
<header class="top">
  <div class="heading-line">
    <h1 id="title">${title}</h1>
    <span id="live" class="live" role="status" hidden></span>
    <button type="button" id="notes-button" class="quiet warn" hidden></button>
    <button type="button" id="outline-button" class="quiet" aria-controls="outline" title="Turns (o)">Turns</button>
    <button type="button" id="bundle-button" class="quiet" aria-controls="bundle" title="Bundle (b)">Bundle</button>
    <button type="button" id="theme" class="quiet round">◐</button>
    <button type="button" id="help-button" class="quiet round" title="Keys (?)" aria-label="Keys">?</button>
  </div>
  <p id="about" class="about"></p>
  <dl id="stats" class="stats" tabindex="0"></dl>
  <div class="strip" title="The session at a glance: click to go there">
    <div id="strip" role="img" aria-label="Tokens of the events over the session; failures on top, what the bundle kept below"></div>
    <span id="strip-view"></span>
  </div>
</header>
<nav id="outline" class="outline" aria-label="Turns"><ol id="turns"></ol></nav>
<main class="middle" aria-label="Session">
  <div class="toolbar" role="search" aria-label="Search and filters">
    <label class="search"><svg viewBox="0 0 16 16" class="icon" aria-hidden="true"><path d="M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM10 10l3.5 3.5"/></svg><input id="search" type="search" aria-label="Search" placeholder="Search" autocomplete="off" spellcheck="false"><kbd>/</kbd></label>
    <div id="groups" class="groups" role="group" aria-label="Kinds of events"></div>
    <button type="button" id="failed" class="toggle bad" aria-pressed="false">Failed</button>
    <button type="button" id="kept" class="toggle kept" aria-pressed="false" hidden>Kept</button>
    <select id="agents" aria-label="Agent" hidden></select>
    <span id="status" class="status" role="status"></span>
    <button type="button" id="clear" class="quiet" hidden>Clear</button>
  </div>
  <div id="timeline" class="timeline" role="group" tabindex="0" aria-label="Timeline">
    <div id="rows"></div>
    <p id="nothing" class="empty" hidden>Nothing matches. Press Escape to show everything again.</p>
  </div>
</main>
<aside id="bundle" class="bundle" aria-label="What the bundle kept"><div id="bundle-body"></div></aside>
<dialog id="help" aria-label="Keys"><h2>Keys</h2><dl class="keys">${keyList}</dl>${close('Close')}</dialog>
<dialog id="notes" aria-label="Notes of the reader"><h2>Notes of the reader</h2><ul id="notes-list"></ul>${close('Close')}</dialog>
`
