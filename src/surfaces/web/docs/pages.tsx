import { Hono } from 'hono'
import { FEEDBACK_TOOLS } from '../../../feedback-tools/index.ts'
import { PARTICIPANT_TOOLS } from '../../../participant-tools/index.ts'
import { TOOLSETS_IN_ORDER } from '../../../toolsets/index.ts'
import { cleanText } from '../../../kernel/outside-text.ts'
import { document } from '../components/layout.tsx'
import { keepable, type Kept, showKept } from '../public-page.ts'
import type { Web, WebContext, WebEnv } from '../web.ts'
import { DocsArticle, DocsFrame, DocsHits } from './layout.tsx'
import { docPages } from './library.ts'
import { searchDocs } from './search.ts'

/** `/docs`: the same for everybody until the next version, so each page is made once and browsers and caches may keep it. */
export function documentationPages(web: Web) {
  const pages = docPages(web.road.baseUrl, { toolsets: TOOLSETS_IN_ORDER, participant: PARTICIPANT_TOOLS, feedback: FEEDBACK_TOOLS })
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const made = new Map<string, Promise<Kept>>()

  const once = (path: string, make: () => Promise<string> | string, type: Kept['type']): Promise<Kept> => {
    const known = made.get(path) ?? Promise.resolve(make()).then((body) => keepable(body, type))
    made.set(path, known)
    return known
  }

  async function answer(c: WebContext) {
    const path = c.req.path
    const markdown = path.endsWith('.md') ? byPath.get(path.slice(0, -3)) : undefined
    if (markdown) return showKept(c, await once(path, () => markdown.markdown, 'text/markdown'))
    const page = byPath.get(path)
    if (!page) return c.notFound()
    const whole = async () =>
      String(
        await document(
          page.title,
          <DocsFrame pages={pages} current={page.path}>
            <DocsArticle page={page} pages={pages} />
          </DocsFrame>,
        ),
      )
    return showKept(c, await once(path, whole, 'text/html'))
  }

  async function results(c: WebContext, query: string) {
    const body = await document(
      'Search',
      <DocsFrame pages={pages} query={query}>
        <DocsHits query={query} hits={searchDocs(pages, query)} />
      </DocsFrame>,
    )
    return showKept(c, keepable(String(body), 'text/html'))
  }

  return new Hono<WebEnv>()
    .get('/docs', (c) => {
      const query = cleanText(c.req.query('q') ?? '', 100).trim()
      return query ? results(c, query) : answer(c)
    })
    .get('/docs.md', answer)
    .get('/docs/*', answer)
}
