import type { Difference } from '../../../../domains/audit/differences.ts'
import type { NamedRecord, Sentence } from '../../../../domains/audit/sentence.ts'

/** What somebody did, with links to the records that have pages. */
export const Words = ({ sentence, to }: { sentence: Sentence; to: (record: NamedRecord) => string | null }) => (
  <>
    {sentence.map((part) => {
      if (typeof part === 'string') return <bdi>{part}</bdi>
      const address = to(part)
      return address ? (
        <a href={address} dir="auto">
          {part.name}
        </a>
      ) : (
        <bdi class="named">{part.name}</bdi>
      )
    })}
  </>
)

const PLACES: Readonly<Record<string, string>> = {
  console: 'in the console',
  web: 'on the event’s pages',
  job: 'as background work',
  REST: 'through the REST interface',
}

/** Through which app, or where. */
export const throughApp = (app: string): string => (Object.hasOwn(PLACES, app) ? PLACES[app]! : `through ${app}`)

const Value = ({ difference: { before, after, runs } }: { difference: Difference }) => {
  if (runs)
    return (
      <>
        {runs.map(({ kind, text }) =>
          kind === 'same' ? (
            text
          ) : kind === 'removed' ? (
            <del>
              <span class="hidden">removed: </span>
              {text}
            </del>
          ) : (
            <ins>
              <span class="hidden">added: </span>
              {text}
            </ins>
          ),
        )}
      </>
    )
  return (
    <>
      {before === null ? <span class="muted">empty</span> : <del dir="auto">{before}</del>} <span aria-hidden="true">→</span>
      <span class="hidden"> became </span> {after === null ? <span class="muted">empty</span> : <ins dir="auto">{after}</ins>}
    </>
  )
}

/** Field by field, what was and what is. */
export const Differences = ({ differences }: { differences: readonly Difference[] }) =>
  differences.length === 0 ? null : (
    <dl class="diff">
      {differences.map((difference) => (
        <>
          <dt dir="auto">{difference.label}</dt>
          <dd dir="auto">
            <Value difference={difference} />
          </dd>
        </>
      ))}
    </dl>
  )

export const valuesInWords = (count: number): string => (count === 1 ? '1 value' : `${count} values`)
