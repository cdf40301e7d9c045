import type { BrowserContext, Page } from 'playwright-core'

/**
 * Texts that try to inject markup. Each calls `ran`, requests another host, or changes the page structure. At most 40 characters, because
 * that is the limit of some texts.
 */
export const SHORT_MARKUP_PAYLOADS = [
  '<script>ran(1)</script>',
  '<script>alert(1)</script>',
  '<ScRiPt>ran(1)</sCrIpT>',
  '<script/x>ran(1)</script>',
  '<svg><script>ran(1)</script>',
  '<!--><script>ran(1)</script>',
  '--><script>ran(1)</script>',
  '</script><script>ran(1)</script>',
  '</title><script>ran(1)</script>',
  '</textarea><script>ran(1)</script>',
  '</style><script>ran(1)</script>',
  '"></option><script>ran(1)</script>',
  ']]><script>ran(1)</script>',
  '<img src=x onerror=ran(1)>',
  '"><img src=x onerror=ran(1)>',
  "'><img src=x onerror=ran(1)>",
  '`><img src=x onerror=ran(1)>',
  '<img/src="x"onerror=ran(1)>',
  '<svg onload=ran(1)>',
  '"><svg/onload=ran(1)>',
  '<body onload=ran(1)>',
  '<details open ontoggle=ran(1)>',
  '<input autofocus onfocus=ran(1)>',
  '" autofocus onfocus=ran(1) x="',
  "' autofocus onfocus=ran(1) x='",
  '<video><source onerror=ran(1)>',
  '<audio src=x onerror=ran(1)>',
  '<style onload=ran(1)></style>',
  '<iframe srcdoc="<script>parent.ran(1)">',
  '<iframe src=javascript:parent.ran(1)>',
  '<object data=javascript:ran(1)>',
  '<embed src=javascript:ran(1)>',
  '<a href=javascript:ran(1)>go</a>',
  '<a href=" &#1;javascript:ran(1)">go</a>',
  '<form action=javascript:ran(1)><button>',
  '<button formaction=javascript:ran(1)>',
  '<math><a xlink:href=javascript:ran(1)>',
  '<svg><a href=javascript:ran(1)><text>go',
  '<base href=//evil.test/>',
  '<img src=//evil.test/i>',
  '<link rel=stylesheet href=//evil.test>',
  '<meta http-equiv=refresh content=9;evil>',
  '<style>@import"//evil.test"</style>',
  '<p style=background:url(//evil.test)>',
] as const

/** Long texts that try to inject markup into rich text: parsers and sanitizers are known to interpret them differently. */
export const LONG_MARKUP_PAYLOADS = [
  '<noscript><p title="</noscript><img src=x onerror=ran(1)>">',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=ran(1)&gt;">',
  '<svg></p><style><a id="</style><img src=x onerror=ran(1)>">',
  '<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=ran(1)>',
  '<a href="&#106;avascript:ran(1)" onclick=ran(1) style="position:fixed;inset:0">over everything</a>',
  '<a href="jav&#x09;ascript:ran(1)">tab</a><a href="data:text/html,<script>ran(1)</script>">data</a>',
  '<template><script>ran(1)</script></template><svg><use href="data:image/svg+xml,<svg onload=ran(1)>#x"/></svg>',
  '<img srcset="//evil.test/a 1x" src="//evil.test/b"><picture><source srcset="//evil.test/c"></picture>',
  '<table background="//evil.test/d"><td background="//evil.test/e">',
]

/** The effects that injected texts had in a page. */
export interface PageFindings {
  /** Scripts that ran, and dialogs that opened. */
  ran: string[]
  /** URLs that the page requested from other hosts. */
  asked: string[]
  /** Violations that the content security policy blocked. */
  stopped: string[]
  /** Elements with handlers, scripts or resources that none of our pages use. */
  active: string[]
}

const NOTE_VIOLATIONS = `
globalThis.stopped = [];
document.addEventListener('securitypolicyviolation', (event) => stopped.push(event.violatedDirective + ' ' + event.blockedURI));`

/** Runs in the page and finds event handler attributes, script URLs and elements that our pages never contain. */
const FIND_ACTIVE = `(() => {
  const found = [];
  for (const element of document.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      const runs = /^[\\u0000-\\u0020]*(javascript|data:text|vbscript)/i.test(value);
      if (name.startsWith('on') || (/(^|:)(href|src|action|formaction|data|srcdoc)$/.test(name) && (runs || name === 'srcdoc')))
        found.push(element.outerHTML.slice(0, 120));
    }
    const tag = element.localName;
    if (tag === 'script' && !element.src && element.type !== 'application/ld+json') found.push(element.outerHTML.slice(0, 120));
    if (['base', 'object', 'embed', 'style', 'math'].includes(tag) && !globalThis.mail) found.push(element.outerHTML.slice(0, 120));
    if (tag === 'meta' && element.httpEquiv.toLowerCase() === 'refresh' && /evil/.test(element.content)) found.push(element.outerHTML);
  }
  return found;
})()`

export interface PageWatch {
  page: Page
  /** Opens one page or email and reports the effects of injected texts. */
  look: (open: (page: Page) => Promise<unknown>, options?: { isMail?: boolean }) => Promise<PageFindings>
}

/**
 * A browser page that records scripts, dialogs and requests to other hosts. Those requests fail, because the browser resolves no other
 * host.
 */
export async function watchPage(context: BrowserContext, baseUrl: string): Promise<PageWatch> {
  const now: Pick<PageFindings, 'ran' | 'asked'> = { ran: [], asked: [] }
  await context.exposeFunction('ran', (what: unknown) => void now.ran.push(`ran ${String(what)}`))
  await context.addInitScript(NOTE_VIOLATIONS)
  context.on('request', (request) => {
    if (/^https?:/.test(request.url()) && !request.url().startsWith(baseUrl)) now.asked.push(request.url())
  })
  const page = await context.newPage()
  page.on('dialog', (dialog) => {
    now.ran.push(`${dialog.type()} ${dialog.message()}`)
    void dialog.dismiss().catch(() => {})
  })
  return {
    page,
    async look(open, { isMail = false } = {}) {
      Object.assign(now, { ran: [], asked: [] })
      await open(page)
      // An error handler of a resource runs in a later task. A page without scripts never reaches its next frame, so the wait has a time
      // limit.
      const nextFrame = page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))').catch(() => {})
      await Promise.race([nextFrame, page.waitForTimeout(500)])
      const found = `({ stopped: globalThis.stopped ?? [], active: (globalThis.mail = ${isMail}, ${FIND_ACTIVE}) })`
      const { stopped, active } = await page.evaluate<Pick<PageFindings, 'stopped' | 'active'>>(found)
      return { ran: [...now.ran], asked: [...now.asked], stopped, active }
    },
  }
}

export const isHarmless = ({ ran, asked, stopped, active }: PageFindings): boolean =>
  [ran, asked, stopped, active].every((found) => found.length === 0)
