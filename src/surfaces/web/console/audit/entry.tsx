import type { NamedRecord } from '../../../../domains/audit/sentence.ts'
import type { ToldEntry, ToldRecord } from '../../../../domains/audit/tell.ts'
import { Avatar } from '../../components/parts.tsx'
import { addressOf, type Filter } from '../filters.ts'
import { timeOfDay } from './days.ts'
import { AUDIT_PATH } from './records.tsx'
import { Differences, throughApp, valuesInWords, Words } from './told.tsx'

/** So much of an entry is in the list; the rest is on a page of its own. */
const MOST_VALUES = 4
const MOST_RECORDS = 5

/** Of what has no page of its own, the record leads to everything that happened to it. */
export function pageOf({ client, event }: Pick<ToldEntry, 'client' | 'event'>, { kind, id, code, gone }: NamedRecord): string | null {
  const ofClient = client ? `/console/clients/${client.code}` : null
  const ofEvent = client && event ? `/console/events/${client.code}/${event.code}` : null
  if (kind === 'event' && client && code) return `/console/events/${client.code}/${code}`
  if (kind === 'client' && ofClient) return `${ofClient}/settings`
  if (!gone && ofEvent && kind === 'participant') return `${ofEvent}/participants/${id}`
  if (!gone && ofClient && kind === 'member') return `${ofClient}/users/${id}`
  if (!gone && ofClient && (kind === 'apiAccount' || kind === 'apiToken')) return `${ofClient}/accounts/${id}`
  if (!gone && ofClient && kind === 'webhook') return `${ofClient}/webhooks/${id}`
  if (!gone && ofClient && kind === 'memory') return `${ofClient}/memory`
  return addressOf(AUDIT_PATH, { record: id })
}

const RecordHead = ({ record }: { record: ToldRecord }) => (
  <p>
    <span class="muted">{record.noun}</span>
    {record.name ? (
      <>
        {' '}
        <bdi>{record.name}</bdi>
      </>
    ) : null}{' '}
    <code>{record.id}</code>
  </p>
)

/** As it is kept. On the page of the entry only: it would be most of what a list of them weighs. */
const Raw = ({ entry: { id, at, actor, tool, client, event, targets } }: { entry: ToldEntry }) => (
  <details class="raw">
    <summary>Raw record</summary>
    <pre class="wraps" tabindex={0}>
      {JSON.stringify({ id, at, actor, tool, client: client?.code ?? null, event: event?.code ?? null, targets }, null, 2)}
    </pre>
  </details>
)

/** `Price of "Delegate": 690.00 → 740.00` where that is all. */
function Summary({ records }: { records: readonly ToldRecord[] }) {
  const all = records.flatMap(({ differences }) => differences)
  const [only] = all
  if (all.length === 0) return <>{records.length === 1 ? '1 record' : `${records.length} records`}</>
  if (all.length > 1 || !only || only.runs || [only.before, only.after].some((side) => (side ?? '').length > 40))
    return <>{`${valuesInWords(all.length)}${records.length > 1 ? ` of ${records.length} records` : ''}`}</>
  return (
    <>
      <bdi>{only.label}</bdi>: <bdi>{only.before ?? 'empty'}</bdi> <span aria-hidden="true">→</span>
      <span class="hidden"> became </span> <bdi>{only.after ?? 'empty'}</bdi>
    </>
  )
}

/** The records of an entry, so many values of all of them together. */
function shownOf(entry: ToldEntry, whole: boolean) {
  let left = whole ? Infinity : MOST_VALUES
  const records = entry.records.slice(0, whole ? Infinity : MOST_RECORDS).map((record) => {
    const differences = record.differences.slice(0, left)
    left -= differences.length
    return { ...record, differences }
  })
  const shown = records.reduce((sum, { differences }) => sum + differences.length, 0)
  const values = entry.records.reduce((sum, { differences }) => sum + differences.length, 0)
  return { records, moreValues: values - shown, moreRecords: entry.records.length - records.length + entry.moreRecords }
}

/** What an entry changed, on demand. */
export const Details = ({ entry, whole = false }: { entry: ToldEntry; whole?: boolean }) => {
  const { records, moreValues, moreRecords } = shownOf(entry, whole)
  const more = [
    ...(moreValues > 0 ? [valuesInWords(moreValues)] : []),
    ...(moreRecords > 0 ? [moreRecords === 1 ? '1 record' : `${moreRecords} records`] : []),
  ].join(' and ')
  return (
    <details class="more" open={whole}>
      <summary>
        <Summary records={entry.records} />
      </summary>
      <div class="stack-s">
        {records.map((record) => (
          <>
            {records.length > 1 || record.differences.length === 0 || whole ? <RecordHead record={record} /> : null}
            <Differences differences={record.differences} />
          </>
        ))}
        {more ? <p class="muted">{whole ? `and ${more} more that the log does not keep` : `and ${more} more`}</p> : null}
        {whole ? (
          <Raw entry={entry} />
        ) : (
          <p>
            <a href={addressOf(AUDIT_PATH, { entry: entry.id })}>This change alone, with its raw record</a>
          </p>
        )}
      </div>
    </details>
  )
}

/** Where it happened, unless the sentence has said it. */
function placeSaid({ sentence, client, event }: ToldEntry, severalClients: boolean): string | null {
  const said = sentence.some((part) => typeof part !== 'string' && (part.kind === 'event' || part.kind === 'client'))
  const places = [...(event && !said ? [event.name] : []), ...(client && severalClients && !said ? [client.name] : [])]
  return places.length > 0 ? places.join(', ') : null
}

/** One change: who, what to which record, through which app, at what time. */
export const Entry = ({
  entry,
  zone,
  filter,
  severalClients,
  whole = false,
}: {
  entry: ToldEntry
  zone: string
  filter: Filter
  severalClients: boolean
  whole?: boolean
}) => {
  const place = placeSaid(entry, severalClients)
  return (
    <li>
      <Avatar name={entry.actor.name} />
      <div>
        <p class="what">
          <b>
            <a class="plain" href={addressOf(AUDIT_PATH, { ...filter, by: entry.actor.id })} dir="auto">
              {entry.actor.name}
            </a>
          </b>
          {entry.actor.kind === 'apiAccount' ? <span class="muted"> (API account)</span> : null}{' '}
          <Words sentence={entry.sentence} to={(record) => pageOf(entry, record)} />{' '}
          {place ? (
            <span class="muted">
              at <bdi>{place}</bdi>{' '}
            </span>
          ) : null}
          <a class="chip" href={addressOf(AUDIT_PATH, { ...filter, app: entry.actor.app })} dir="auto">
            {throughApp(entry.actor.app)}
          </a>
        </p>
        <Details entry={entry} whole={whole} />
      </div>
      <time datetime={entry.at.toISOString()} title={`${entry.at.toISOString()} (UTC)`}>
        {timeOfDay(zone, entry.at)}
      </time>
    </li>
  )
}
