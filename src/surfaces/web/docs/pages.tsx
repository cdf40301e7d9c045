import { Hono } from 'hono'
import { FEEDBACK_TOOLS } from '../../../feedback-tools/index.ts'
import { PARTICIPANT_TOOLS } from '../../../participant-tools/index.ts'
import { ALL_TOOLSETS } from '../../../toolsets/index.ts'
import { type CooperativeTask, runTaskCooperatively } from '../../../kernel/cooperative.ts'
import { cleanText } from '../../../kernel/clean-text.ts'
import { renderHtmlDocument } from '../components/layout.tsx'
import { toCachedPage, type CachedPage, sendCachedPage } from '../public-page.ts'
import type { WebServices, WebContext, WebEnv } from '../web.ts'
import { DocsSearchHits } from './hits.tsx'
import { DocsArticle, DocsPageLayout } from './layout.tsx'
import { type DocPage, renderDocPages } from './library.ts'
import { buildLlmsIndex, buildLlmsFullText } from './llms.ts'
import { docsSearch, type SearchDocs } from './search.ts'

interface Library {
  pages: readonly DocPage[]
  byPath: ReadonlyMap<string, DocPage>
  search: SearchDocs
}

/** Renders and indexes all pages on the first request. This takes half a second, so it runs in parts that do not block the event loop. */
function* libraryAt(baseUrl: string): CooperativeTask<Library> {
  const pages = yield* renderDocPages(baseUrl, { toolsets: ALL_TOOLSETS, participant: PARTICIPANT_TOOLS, feedback: FEEDBACK_TOOLS })
  return { pages, byPath: new Map(pages.map((page) => [page.path, page])), search: yield* docsSearch(pages) }
}

/** `/docs`: the documentation. Pages are the same for every visitor until the next version, so each is rendered once and can be cached. */
export function documentationPages(web: WebServices) {
  const { baseUrl } = web.services
  let opened: Promise<Library> | undefined
  const library = () => (opened ??= runTaskCooperatively(libraryAt(baseUrl)))
  const cachedPages = new Map<string, Promise<CachedPage>>()

  const renderOnce = (path: string, make: () => Promise<string> | string, type: CachedPage['type']): Promise<CachedPage> => {
    const known = cachedPages.get(path) ?? Promise.resolve(make()).then((body) => toCachedPage(body, type))
    cachedPages.set(path, known)
    return known
  }

  async function renderPage(page: DocPage, pages: readonly DocPage[]): Promise<string> {
    const body = (
      <DocsPageLayout pages={pages} current={page}>
        <DocsArticle page={page} pages={pages} />
      </DocsPageLayout>
    )
    // Lets programs find the Markdown source of the page.
    const head = <link rel="alternate" type="text/markdown" href={`${page.path}.md`} />
    return String(await renderHtmlDocument(page.title, body, { head }))
  }

  async function servePage(c: WebContext) {
    const { pages, byPath } = await library()
    const path = c.req.path
    const markdown = path.endsWith('.md') ? byPath.get(path.slice(0, -3)) : undefined
    if (markdown) return sendCachedPage(c, await renderOnce(path, () => markdown.markdown, 'text/markdown'))
    const page = byPath.get(path)
    return page ? sendCachedPage(c, await renderOnce(path, () => renderPage(page, pages), 'text/html')) : c.notFound()
  }

  async function serveResults(c: WebContext, query: string) {
    const { pages, search } = await library()
    const body = await renderHtmlDocument(
      'Search',
      <DocsPageLayout pages={pages} query={query}>
        <DocsSearchHits query={query} found={search(query)} />
      </DocsPageLayout>,
    )
    return sendCachedPage(c, toCachedPage(String(body), 'text/html'))
  }

  const serveText = (build: typeof buildLlmsIndex) => async (c: WebContext) => {
    const { pages } = await library()
    return sendCachedPage(c, await renderOnce(c.req.path, () => build(pages, baseUrl), 'text/plain'))
  }

  return new Hono<WebEnv>()
    .get('/docs', (c) => {
      const query = cleanText(c.req.query('q') ?? '', 100).trim()
      return query ? serveResults(c, query) : servePage(c)
    })
    .get('/llms.txt', serveText(buildLlmsIndex))
    .get('/llms-full.txt', serveText(buildLlmsFullText))
    .get('/docs.md', servePage)
    // Redirects from former addresses of documentation pages to the current ones.
    .get('/docs/rest-and-leads', (c) => c.redirect('/docs/rest', 308))
    .get('/docs/rest-and-leads.md', (c) => c.redirect('/docs/rest.md', 308))
    .get('/docs/*', servePage)
}
