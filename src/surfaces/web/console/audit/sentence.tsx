import type { ValueDifference } from '../../../../domains/audit/differences.ts'
import type { NamedRecord, AuditSentence } from '../../../../domains/audit/sentence.ts'

/** The sentence of an audit entry, with links to records that have pages. */
export const AuditSentenceText = ({ sentence, to }: { sentence: AuditSentence; to: (record: NamedRecord) => string | null }) => (
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

const APP_LABELS: Readonly<Record<string, string>> = {
  console: 'in the console',
  web: 'on the event’s pages',
  job: 'in a background job',
  REST: 'through the REST API',
}

/** Names the app, or the part of this software (such as the console) through which the change was made. */
export const describeOriginApp = (app: string): string => (Object.hasOwn(APP_LABELS, app) ? APP_LABELS[app]! : `through ${app}`)

const Value = ({ difference: { before, after, runs } }: { difference: ValueDifference }) => {
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

/** Lists the old and new value of each changed field. */
export const DifferenceList = ({ differences }: { differences: readonly ValueDifference[] }) =>
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

export const formatValueCount = (count: number): string => (count === 1 ? '1 value' : `${count} values`)
