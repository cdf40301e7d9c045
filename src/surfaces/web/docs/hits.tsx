import type { ExcerptPart } from './excerpt.ts'
import type { SearchResults } from './search.ts'

/** Search results, or suggestions if there are none. */
export const DocsSearchHits = ({ query, found: { hits, total, taken, instead } }: { query: string; found: SearchResults }) => (
  <main id="main" class="docs-main">
    <h1>Search</h1>
    <p class="muted" role="status">
      {countResults(hits.length, total)} for “{query}”.
      {taken.map(({ typed, meant }) => (
        <>
          {' '}
          “{typed}” was not found. Showing results for <a href={searchFor(meant)}>{meant}</a>.
        </>
      ))}
    </p>
    {hits.length === 0 ? <Nothing instead={instead} /> : null}
    <ol class="docs-hits">
      {hits.map((hit) => (
        <li>
          <a href={hit.href}>{hit.name}</a>
          {hit.where === null ? null : <small class="muted"> {hit.where}</small>}
          <p>
            {hit.excerpt.map((part) => (
              <Excerpt part={part} />
            ))}
          </p>
        </li>
      ))}
    </ol>
  </main>
)

function countResults(shown: number, total: number): string {
  if (total === 0) return 'No results'
  if (shown < total) return `The best ${shown} of ${total} results`
  return total === 1 ? '1 result' : `${total} results`
}

const searchFor = (word: string) => `/docs?q=${encodeURIComponent(word)}`

const Excerpt = ({ part: { text, marked } }: { part: ExcerptPart }) => (marked ? <mark>{text}</mark> : <>{text}</>)

const Nothing = ({ instead }: { instead: readonly string[] }) => (
  <>
    {instead.length > 0 ? (
      <p>
        Did you mean{' '}
        {instead.map((word, i) => (
          <>
            {i > 0 ? ', ' : ''}
            <a href={searchFor(word)}>{word}</a>
          </>
        ))}
        ?
      </p>
    ) : null}
    <p>
      Try other words, browse <a href="/docs/tools">all tools</a>, <a href="/docs/errors">errors</a> and{' '}
      <a href="/docs/limits">limits</a>, start with <a href="/docs/connect">connecting an assistant</a>, or{' '}
      <a href="/docs/feedback">send us feedback</a>.
    </p>
  </>
)
