import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { ProductHomeLink } from '../components/layout.tsx'
import type { DocPage } from './library.ts'

interface DocsFrameProps {
  pages: readonly DocPage[]
  current?: DocPage
  query?: string
  children: Child
}

/**
 * The layout of the documentation: search at the top, all pages at the side, and the article. Works on every screen, with or without
 * scripts.
 */
export const DocsPageLayout = ({ pages, current, query, children }: DocsFrameProps) => (
  <div class="docs">
    <header class="docs-top">
      <ProductHomeLink />
      <a class="docs-console" href="/console">
        Console
      </a>
      <form method="get" action="/docs" class="docs-search" role="search">
        <label class="hidden" for="q">
          Search the documentation
        </label>
        <input id="q" name="q" type="search" value={query} placeholder="Search" maxlength={100} />
        <button type="submit" class="button">
          Search
        </button>
      </form>
    </header>
    {/* On wide screens the list of pages is always visible and scrolls on its own, so it needs a tab stop to be scrolled by keyboard. */}
    <details class="docs-side" tabindex={0}>
      <summary>All pages</summary>
      <nav aria-label="Documentation">
        {groupsOf(pages).map(([group, members]) => (
          <div>
            <p class="group" id={groupId(group)}>
              {group}
            </p>
            <ul class="nav-list" aria-labelledby={groupId(group)}>
              {members
                .filter(({ under }) => under === undefined)
                .map((page) => (
                  <li>
                    <PageLink page={page} current={current} />
                    {isOpen(page, current) ? <Subpages pages={members.filter(({ under }) => under === page.path)} current={current} /> : null}
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

const PageLink = ({ page, current }: { page: DocPage; current: DocPage | undefined }) => (
  <a href={page.path} aria-current={page.path === current?.path ? 'page' : undefined}>
    {page.title}
  </a>
)

/** Whether the navigation lists the subpages of a page: only while the page or a subpage is open, because there are hundreds of tools. */
const isOpen = ({ path }: DocPage, current: DocPage | undefined) => path === current?.path || path === current?.under

const Subpages = ({ pages, current }: { pages: readonly DocPage[]; current: DocPage | undefined }) =>
  pages.length > 0 ? (
    <ul>
      {pages.map((page) => (
        <li>
          <PageLink page={page} current={current} />
        </li>
      ))}
    </ul>
  ) : null

const groupId = (group: string) => `docs-${group.toLowerCase()}`

const groupsOf = (pages: readonly DocPage[]): [string, DocPage[]][] =>
  [...new Set(pages.map(({ group }) => group))].map((group) => [group, pages.filter((page) => page.group === group)])

export const DocsArticle = ({ page, pages }: { page: DocPage; pages: readonly DocPage[] }) => {
  const at = pages.indexOf(page)
  const [before, after] = [pages[at - 1], pages[at + 1]]
  const parts = page.sections.map(({ heading }) => heading).filter(({ level }) => level === 2)
  const titled = page.html.indexOf('</h1>') + '</h1>'.length
  return (
      <main id="main" class="docs-main">
        <article class={page.wide ? 'prose wide' : 'prose'}>
          {raw(page.html.slice(0, titled))}
          {parts.length > 1 ? <Contents parts={parts} across={page.wide === true} /> : null}
          {raw(page.html.slice(titled))}
        </article>
        <footer class="docs-foot">
          <nav class="docs-turn" aria-label="Next and previous page">
            {before ? (
              <a href={before.path} rel="prev">
                <small>Previous</small>
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
            <a href={`/docs/feedback?page=${encodeURIComponent(page.path)}`}>Report a problem with this page</a>
            <a href={`${page.path}.md`}>View as Markdown</a>
          </p>
        </footer>
      </main>
  )
}

/**
 * The table of contents of a page: beside the article on wide screens, collapsed above it on small ones. Pages with wide tables always have
 * it above.
 */
const Contents = ({ parts, across }: { parts: readonly { id: string; text: string }[]; across: boolean }) => {
  const links = parts.map(({ id, text }) => (
    <li>
      <a href={`#${id}`}>{text}</a>
    </li>
  ))
  return across ? (
    <nav class="docs-parts" aria-label="On this page">
      <ul>{links}</ul>
    </nav>
  ) : (
    <details class="docs-toc">
      <summary>On this page</summary>
      {/* The table of contents scrolls on wide screens, so it needs a tab stop to be scrolled by keyboard. */}
      <nav aria-label="On this page" tabindex={0}>
        <ul class="nav-list">{links}</ul>
      </nav>
    </details>
  )
}
