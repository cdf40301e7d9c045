import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { Brand } from '../components/layout.tsx'
import type { DocPage } from './library.ts'
import type { Hit } from './search.ts'

interface Frame {
  pages: readonly DocPage[]
  current?: string
  query?: string
  children: Child
}

/** Search on top, all pages at the side, and the page itself: the same on every screen, with or without scripts. */
export const DocsFrame = ({ pages, current, query, children }: Frame) => (
  <div class="docs">
    <header class="docs-top">
      <Brand />
      <a class="docs-console" href="/console">
        Console
      </a>
      <form method="get" action="/docs" class="docs-search" role="search">
        <label class="hidden" for="q">
          Search the documentation
        </label>
        <input id="q" name="q" type="search" value={query} placeholder="Search the documentation" maxlength={100} />
        <button type="submit" class="button">
          Search
        </button>
      </form>
    </header>
    {/* Where there is room the list stands open and scrolls: the keyboard must reach it too. */}
    <details class="docs-side" tabindex={0}>
      <summary>All pages</summary>
      <nav aria-label="Documentation">
        {groupsOf(pages).map(([group, members]) => (
          <div>
            <p class="group" id={groupId(group)}>
              {group}
            </p>
            <ul class="nav-list" aria-labelledby={groupId(group)}>
              {members.map((page) => (
                <li>
                  <a href={page.path} aria-current={page.path === current ? 'page' : undefined}>
                    {page.title}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </details>
    {children}
  </div>
)

const groupId = (group: string) => `docs-${group.toLowerCase()}`

const groupsOf = (pages: readonly DocPage[]): [string, DocPage[]][] =>
  [...new Set(pages.map(({ group }) => group))].map((group) => [group, pages.filter((page) => page.group === group)])

export const DocsArticle = ({ page, pages }: { page: DocPage; pages: readonly DocPage[] }) => {
  const at = pages.indexOf(page)
  const [before, after] = [pages[at - 1], pages[at + 1]]
  const parts = page.sections.map(({ heading }) => heading).filter(({ level }) => level === 2)
  return (
    <>
      <main id="main" class="docs-main">
        <article class="prose">{raw(page.html)}</article>
        <footer class="docs-foot">
          <nav class="docs-turn" aria-label="Next and previous page">
            {before ? (
              <a href={before.path} rel="prev">
                <small>Before</small>
                {before.title}
              </a>
            ) : (
              <span />
            )}
            {after ? (
              <a href={after.path} rel="next">
                <small>Next</small>
                {after.title}
              </a>
            ) : null}
          </nav>
          <p class="row">
            <a href={`/docs/feedback?page=${encodeURIComponent(page.path)}`}>Say what is missing or wrong here</a>
            <a href={`${page.path}.md`}>This page as Markdown</a>
          </p>
        </footer>
      </main>
      {parts.length > 1 ? (
        <nav class="docs-toc" aria-label="On this page">
          <p class="group" aria-hidden="true">
            On this page
          </p>
          <ul class="nav-list">
            {parts.map(({ id, text }) => (
              <li>
                <a href={`#${id}`}>{text}</a>
              </li>
            ))}
          </ul>
        </nav>
      ) : null}
    </>
  )
}

export const DocsHits = ({ query, hits }: { query: string; hits: readonly Hit[] }) => (
  <main id="main" class="docs-main">
    <h1>Search</h1>
    <p class="muted" role="status">
      {hits.length === 0 ? 'Nothing' : hits.length === 1 ? 'One place' : `${hits.length} places`} for “{query}”.
    </p>
    {hits.length === 0 ? (
      <p>
        Try fewer or other words, look through <a href="/docs/tools">all tools</a>, or{' '}
        <a href="/docs/feedback">say what you were looking for</a>.
      </p>
    ) : (
      <ol class="docs-hits">
        {hits.map((hit) => (
          <li>
            <a href={hit.href}>{hit.heading}</a>
            {hit.heading === hit.page ? null : <small class="muted"> in {hit.page}</small>}
            <p>{hit.excerpt}</p>
          </li>
        ))}
      </ol>
    )}
  </main>
)
