import type { NamedRecord } from '../../../../domains/audit/sentence.ts'
import type { DescribedAuditEntry, DescribedRecord } from '../../../../domains/audit/describe.ts'
import { Avatar } from '../../components/parts.tsx'
import { buildListPath, type ListFilterValues } from '../filters.ts'
import { formatTimeOfDay } from './days.ts'
import { AUDIT_PATH } from './records.tsx'
import { DifferenceList, describeOriginApp, formatValueCount, AuditSentenceText } from './sentence.tsx'

/** Maximum number of changed values that the list shows of one audit entry; the entry's own page shows all of them. */
const MAX_VALUES = 4
const MAX_RECORDS = 5

/** Returns the console page of a record, or the audit log filtered by the record if it has no page. */
export function findRecordPath(
  { client, event }: Pick<DescribedAuditEntry, 'client' | 'event'>,
  { kind, id, code, gone }: NamedRecord,
): string | null {
  const ofClient = client ? `/console/clients/${client.code}` : null
  const ofEvent = client && event ? `/console/events/${client.code}/${event.code}` : null
  if (kind === 'event' && client && code) return `/console/events/${client.code}/${code}`
  if (kind === 'client' && ofClient) return `${ofClient}/settings`
  if (!gone && ofEvent && kind === 'participant') return `${ofEvent}/participants/${id}`
  if (!gone && ofClient && kind === 'member') return `${ofClient}/users/${id}`
  if (!gone && ofClient && (kind === 'apiAccount' || kind === 'apiToken')) return `${ofClient}/accounts/${id}`
  if (!gone && ofClient && kind === 'webhook') return `${ofClient}/webhooks/${id}`
  if (!gone && ofClient && kind === 'memory') return `${ofClient}/memory`
  return buildListPath(AUDIT_PATH, { record: id })
}

const RecordHead = ({ record }: { record: DescribedRecord }) => (
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

/** Shows the stored entry as JSON, but only on the page of the entry, because in a list the JSON would be most of the page's size. */
const Raw = ({ entry: { id, at, actor, tool, client, event, targets } }: { entry: DescribedAuditEntry }) => (
  <details class="raw">
    <summary>Raw record</summary>
    <pre class="wraps" tabindex={0}>
      {JSON.stringify({ id, at, actor, tool, client: client?.code ?? null, event: event?.code ?? null, targets }, null, 2)}
    </pre>
  </details>
)

/** A single short change in one line, such as `Price of "Delegate": 690.00 → 740.00`; otherwise the number of changes. */
function Summary({ records }: { records: readonly DescribedRecord[] }) {
  const all = records.flatMap(({ differences }) => differences)
  const [only] = all
  if (all.length === 0) return <>{records.length === 1 ? '1 record' : `${records.length} records`}</>
  if (all.length > 1 || !only || only.runs || [only.before, only.after].some((side) => (side ?? '').length > 40))
    return <>{`${formatValueCount(all.length)}${records.length > 1 ? ` of ${records.length} records` : ''}`}</>
  return (
    <>
      <bdi>{only.label}</bdi>: <bdi>{only.before ?? 'empty'}</bdi> <span aria-hidden="true">→</span>
      <span class="hidden"> became </span> <bdi>{only.after ?? 'empty'}</bdi>
    </>
  )
}

/** Returns the first records of an audit entry, with at most MAX_VALUES changed values in total; all of them if `whole` is true. */
function limitRecords(entry: DescribedAuditEntry, whole: boolean) {
  let left = whole ? Infinity : MAX_VALUES
  const records = entry.records.slice(0, whole ? Infinity : MAX_RECORDS).map((record) => {
    const differences = record.differences.slice(0, left)
    left -= differences.length
    return { ...record, differences }
  })
  const shown = records.reduce((sum, { differences }) => sum + differences.length, 0)
  const values = entry.records.reduce((sum, { differences }) => sum + differences.length, 0)
  return { records, moreValues: values - shown, moreRecords: entry.records.length - records.length + entry.moreRecords }
}

/** The changed values of an audit entry, collapsed by default. */
export const EntryDetails = ({ entry, whole = false }: { entry: DescribedAuditEntry; whole?: boolean }) => {
  const { records, moreValues, moreRecords } = limitRecords(entry, whole)
  const more = [
    ...(moreValues > 0 ? [formatValueCount(moreValues)] : []),
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
            <DifferenceList differences={record.differences} />
          </>
        ))}
        {more ? <p class="muted">{whole ? `and ${more} more that were not recorded` : `and ${more} more`}</p> : null}
        {whole ? (
          <Raw entry={entry} />
        ) : (
          <p>
            <a href={buildListPath(AUDIT_PATH, { entry: entry.id })}>View this change</a>
          </p>
        )}
      </div>
    </details>
  )
}

/** Names the event and client of an audit entry, unless the sentence about the entry already names them. */
function formatPlace({ sentence, client, event }: DescribedAuditEntry, severalClients: boolean): string | null {
  const said = sentence.some((part) => typeof part !== 'string' && (part.kind === 'event' || part.kind === 'client'))
  const places = [...(event && !said ? [event.name] : []), ...(client && severalClients && !said ? [client.name] : [])]
  return places.length > 0 ? places.join(', ') : null
}

/** One audit entry: the user, the action, the record, the app and the time. */
export const AuditEntryItem = ({
  entry,
  zone,
  filter,
  severalClients,
  whole = false,
}: {
  entry: DescribedAuditEntry
  zone: string
  filter: ListFilterValues
  severalClients: boolean
  whole?: boolean
}) => {
  const place = formatPlace(entry, severalClients)
  return (
    <li>
      <Avatar name={entry.actor.name} />
      <div>
        <p class="what">
          <b>
            <a class="plain" href={buildListPath(AUDIT_PATH, { ...filter, by: entry.actor.id })} dir="auto">
              {entry.actor.name}
            </a>
          </b>
          {entry.actor.kind === 'apiAccount' ? <span class="muted"> (API account)</span> : null}{' '}
          <AuditSentenceText sentence={entry.sentence} to={(record) => findRecordPath(entry, record)} />{' '}
          {place ? (
            <span class="muted">
              at <bdi>{place}</bdi>{' '}
            </span>
          ) : null}
          <a class="chip" href={buildListPath(AUDIT_PATH, { ...filter, app: entry.actor.app })} dir="auto">
            {describeOriginApp(entry.actor.app)}
          </a>
        </p>
        <EntryDetails entry={entry} whole={whole} />
      </div>
      <time datetime={entry.at.toISOString()} title={`${entry.at.toISOString()} (UTC)`}>
        {formatTimeOfDay(zone, entry.at)}
      </time>
    </li>
  )
}

/** One row for all changes of one visitor of the event's pages on a day. It shows their number and expands to the changes themselves. */
export const VisitorChangesItem = ({
  newest,
  entries,
  ...shown
}: {
  newest: DescribedAuditEntry
  entries: readonly DescribedAuditEntry[]
  zone: string
  filter: ListFilterValues
  severalClients: boolean
}) => {
  const [first, last] = [entries.at(-1)!, newest]
  const person = newest.records.find(({ kind }) => kind === 'participant')
  const name = newest.actor.id === 'visitor' ? person?.name || 'A visitor' : newest.actor.name
  const place = formatPlace({ ...newest, sentence: [] }, shown.severalClients)
  return (
    <li>
      <Avatar name={name} />
      <div>
        <p class="what">
          <b dir="auto">{name}</b> {`made ${entries.length} steps `}
          {place ? (
            <span class="muted">
              at <bdi>{place}</bdi>{' '}
            </span>
          ) : null}
          <a class="chip" href={buildListPath(AUDIT_PATH, { ...shown.filter, app: newest.actor.app })}>
            {describeOriginApp(newest.actor.app)}
          </a>
        </p>
        <details class="more">
          <summary>{`${formatTimeOfDay(shown.zone, first.at)} to ${formatTimeOfDay(shown.zone, last.at)}, ${entries.length} steps`}</summary>
          <ol class="log">
            {entries.map((entry) => (
              <AuditEntryItem entry={entry} {...shown} />
            ))}
          </ol>
        </details>
      </div>
      <time datetime={last.at.toISOString()} title={`${last.at.toISOString()} (UTC)`}>
        {formatTimeOfDay(shown.zone, last.at)}
      </time>
    </li>
  )
}
