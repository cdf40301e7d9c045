import { Hono } from 'hono'
import { FEEDBACK_TOOLS } from '../../../feedback-tools/index.ts'
import { PARTICIPANT_TOOLS } from '../../../participant-tools/index.ts'
import { TOOLSETS_IN_ORDER } from '../../../toolsets/index.ts'
import { cleanText } from '../../../kernel/outside-text.ts'
import { document } from '../components/layout.tsx'
import { keepable, type Kept, showKept } from '../public-page.ts'
import type { Web, WebContext, WebEnv } from '../web.ts'
import { DocsHits } from './hits.tsx'
import { DocsArticle, DocsFrame } from './layout.tsx'
import { type DocPage, docPages } from './library.ts'
import { llmsIndex, llmsWhole } from './llms.ts'
import { docsSearch } from './search.ts'

/** `/docs`: the same for everybody until the next version, so each page is made once and browsers and caches may keep it. */
export function documentationPages(web: Web) {
  const { baseUrl } = web.road
  const pages = docPages(baseUrl, { toolsets: TOOLSETS_IN_ORDER, participant: PARTICIPANT_TOOLS, feedback: FEEDBACK_TOOLS })
  const search = docsSearch(pages)
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const made = new Map<string, Promise<Kept>>()

  const once = (path: string, make: () => Promise<string> | string, type: Kept['type']): Promise<Kept> => {
    const known = made.get(path) ?? Promise.resolve(make()).then((body) => keepable(body, type))
    made.set(path, known)
    return known
  }

  async function whole(page: DocPage): Promise<string> {
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
    const path = c.req.path
    const markdown = path.endsWith('.md') ? byPath.get(path.slice(0, -3)) : undefined
    if (markdown) return showKept(c, await once(path, () => markdown.markdown, 'text/markdown'))
    const page = byPath.get(path)
    return page ? showKept(c, await once(path, () => whole(page), 'text/html')) : c.notFound()
  }

  async function results(c: WebContext, query: string) {
    const body = await document(
      'Search',
      <DocsFrame pages={pages} query={query}>
        <DocsHits query={query} found={search(query)} />
      </DocsFrame>,
    )
    return showKept(c, keepable(String(body), 'text/html'))
  }

  return new Hono<WebEnv>()
    .get('/docs', (c) => {
      const query = cleanText(c.req.query('q') ?? '', 100).trim()
      return query ? results(c, query) : answer(c)
    })
    .get('/llms.txt', async (c) => showKept(c, await once('/llms.txt', () => llmsIndex(pages, baseUrl), 'text/plain')))
    .get('/llms-full.txt', async (c) => showKept(c, await once('/llms-full.txt', () => llmsWhole(pages, baseUrl), 'text/plain')))
    .get('/docs.md', answer)
    .get('/docs/*', answer)
}
