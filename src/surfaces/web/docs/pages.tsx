import { Hono } from 'hono'
import { FEEDBACK_TOOLS } from '../../../feedback-tools/index.ts'
import { PARTICIPANT_TOOLS } from '../../../participant-tools/index.ts'
import { TOOLSETS_IN_ORDER } from '../../../toolsets/index.ts'
import { type InParts, inTurns } from '../../../kernel/turns.ts'
import { cleanText } from '../../../kernel/outside-text.ts'
import { document } from '../components/layout.tsx'
import { keepable, type Kept, showKept } from '../public-page.ts'
import type { Web, WebContext, WebEnv } from '../web.ts'
import { DocsHits } from './hits.tsx'
import { DocsArticle, DocsFrame } from './layout.tsx'
import { type DocPage, docPages } from './library.ts'
import { llmsIndex, llmsWhole } from './llms.ts'
import { docsSearch, type SearchDocs } from './search.ts'

interface Library {
  pages: readonly DocPage[]
  byPath: ReadonlyMap<string, DocPage>
  search: SearchDocs
}

/** All pages and the words in them: half a second of work, done for whoever asks first and in turns with everybody else. */
function* libraryAt(baseUrl: string): InParts<Library> {
  const pages = yield* docPages(baseUrl, { toolsets: TOOLSETS_IN_ORDER, participant: PARTICIPANT_TOOLS, feedback: FEEDBACK_TOOLS })
  return { pages, byPath: new Map(pages.map((page) => [page.path, page])), search: yield* docsSearch(pages) }
}

/** `/docs`: the same for everybody until the next version, so each page is made once and browsers and caches may keep it. */
export function documentationPages(web: Web) {
  const { baseUrl } = web.road
  let opened: Promise<Library> | undefined
  const library = () => (opened ??= inTurns(libraryAt(baseUrl)))
  const made = new Map<string, Promise<Kept>>()

  const once = (path: string, make: () => Promise<string> | string, type: Kept['type']): Promise<Kept> => {
    const known = made.get(path) ?? Promise.resolve(make()).then((body) => keepable(body, type))
    made.set(path, known)
    return known
  }

  async function whole(page: DocPage, pages: readonly DocPage[]): Promise<string> {
    const body = (
      <DocsFrame pages={pages} current={page}>
        <DocsArticle page={page} pages={pages} />
      </DocsFrame>
    )
    // Whoever reads pages by program finds the text that this one was made of.
    const head = <link rel="alternate" type="text/markdown" href={`${page.path}.md`} />
    return String(await document(page.title, body, { head }))
  }

  async function answer(c: WebContext) {
    const { pages, byPath } = await library()
    const path = c.req.path
    const markdown = path.endsWith('.md') ? byPath.get(path.slice(0, -3)) : undefined
    if (markdown) return showKept(c, await once(path, () => markdown.markdown, 'text/markdown'))
    const page = byPath.get(path)
    return page ? showKept(c, await once(path, () => whole(page, pages), 'text/html')) : c.notFound()
  }

  async function results(c: WebContext, query: string) {
    const { pages, search } = await library()
    const body = await document(
      'Search',
      <DocsFrame pages={pages} query={query}>
        <DocsHits query={query} found={search(query)} />
      </DocsFrame>,
    )
    return showKept(c, keepable(String(body), 'text/html'))
  }

  const told = (tell: typeof llmsIndex) => async (c: WebContext) => {
    const { pages } = await library()
    return showKept(c, await once(c.req.path, () => tell(pages, baseUrl), 'text/plain'))
  }

  return new Hono<WebEnv>()
    .get('/docs', (c) => {
      const query = cleanText(c.req.query('q') ?? '', 100).trim()
      return query ? results(c, query) : answer(c)
    })
    .get('/llms.txt', told(llmsIndex))
    .get('/llms-full.txt', told(llmsWhole))
    .get('/docs.md', answer)
    // Others link to where these pages were.
    .get('/docs/rest-and-leads', (c) => c.redirect('/docs/rest', 308))
    .get('/docs/rest-and-leads.md', (c) => c.redirect('/docs/rest.md', 308))
    .get('/docs/*', answer)
}
