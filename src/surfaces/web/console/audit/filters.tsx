import { DEED_GROUPS, type DeedGroup, deedsIn, isDeedGroup } from '../../../../domains/audit/deeds.ts'
import { KIND_NAMES, nounOf } from '../../../../domains/audit/kinds.ts'
import type { AuditFilter } from '../../../../domains/audit/log.ts'
import { errorOf, type Errors, Input, Select } from '../../components/forms.tsx'
import { addressOf, type Filter } from '../filters.ts'
import { AUDIT_PATH } from './records.tsx'

export const FILTERS = ['client', 'event', 'person', 'by', 'app', 'group', 'tool', 'kind', 'record', 'from', 'until'] as const

export type AuditQuery = Record<(typeof FILTERS)[number], string | undefined>

/** The filters of an address, as the log takes them. */
export function asked({ client, event, group, ...rest }: AuditQuery, zone: string): AuditFilter {
  return {
    ...rest,
    clientCode: client,
    eventCode: event,
    tools: group && isDeedGroup(group) ? deedsIn(group) : undefined,
    zone,
  }
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const GROUPS = Object.entries(DEED_GROUPS).map(([value, label]) => ({ value, label }))
const KINDS = KIND_NAMES.map((value) => ({ value, label: capital(nounOf(value)) })).toSorted((a, b) => a.label.localeCompare(b.label, 'en'))
/** Kinds of one noun, as the members of a client and the staff of an event, are told apart by what they are called inside. */
const isTwice = (label: string) => KINDS.filter((one) => one.label === label).length > 1
const KIND_CHOICES = KINDS.map(({ value, label }) => ({ value, label: isTwice(label) ? `${label} (${value})` : label }))

interface Choice {
  value: string
  label: string
}

interface Choices {
  clients: readonly Choice[]
  events: readonly { code: string; name: string }[]
  apps: readonly string[]
}

const Listed = ({ id, choices }: { id: string; choices: readonly Choice[] }) => (
  <datalist id={id}>
    {choices.map(({ value, label }) => (
      <option value={value}>{label}</option>
    ))}
  </datalist>
)

export const Search = ({
  filter,
  choices: { clients, events, apps },
  errors,
}: {
  filter: AuditQuery
  choices: Choices
  errors?: Errors | undefined
}) => (
  <form method="get" action={AUDIT_PATH} class="card-pad" role="search" aria-label="Changes">
    {filter.by ? <input type="hidden" name="by" value={filter.by} /> : null}
    {filter.tool ? <input type="hidden" name="tool" value={filter.tool} /> : null}
    <div class="fields-3">
      <Input name="person" label="Who did it" value={filter.person} help="Words of the name or email." />
      <Input name="event" label="Event" value={filter.event} list="audit-events" help="Its code." />
      <Select name="group" label="What was done" options={[{ value: '', label: 'Anything' }, ...GROUPS]} value={filter.group} />
    </div>
    <details class="more-filters" open={Boolean(errors ?? filter.app ?? filter.kind ?? filter.record ?? filter.from ?? filter.until)}>
      <summary>More filters</summary>
      <div class="fields-3">
        {clients.length > 1 ? (
          <Select name="client" label="Client" options={[{ value: '', label: 'All of yours' }, ...clients]} value={filter.client} />
        ) : null}
        <Input name="app" label="Through" value={filter.app} list="audit-apps" help="An app’s name, console or job." />
        <Select name="kind" label="Kind of record" options={[{ value: '', label: 'Any' }, ...KIND_CHOICES]} value={filter.kind} />
        <Input name="record" label="Record id" value={filter.record} />
        <Input name="from" type="date" label="From" value={filter.from} error={errorOf(errors, 'from')} />
        <Input name="until" type="date" label="Until" value={filter.until} error={errorOf(errors, 'until')} />
      </div>
    </details>
    <Listed id="audit-events" choices={events.map(({ code, name }) => ({ value: code, label: name }))} />
    <Listed id="audit-apps" choices={apps.map((app) => ({ value: app, label: app }))} />
    <div class="actions">
      <button type="submit" class="button">
        Filter
      </button>
    </div>
  </form>
)

/** What each filter that is on says, so that it can be taken off. */
const SAID: Record<keyof AuditQuery, (value: string) => string> = {
  client: (value) => `Client ${value}`,
  event: (value) => `Event ${value}`,
  person: (value) => `By “${value}”`,
  by: () => 'By one person or program',
  app: (value) => `Through ${value}`,
  group: (value) => (isDeedGroup(value) ? DEED_GROUPS[value as DeedGroup] : value),
  tool: (value) => `Action ${value}`,
  kind: (value) => `About ${nounOf(value)}`,
  record: (value) => `Record ${value}`,
  from: (value) => `From ${value}`,
  until: (value) => `Until ${value}`,
}

export const Chips = ({ filter, by }: { filter: AuditQuery; by: string | null }) => {
  const on = FILTERS.flatMap((name) => (filter[name] ? [{ name, value: filter[name] }] : []))
  if (on.length === 0) return null
  return (
    <nav class="chips" aria-label="Filters that are on">
      {on.map(({ name, value }) => (
        <a class="chip" href={addressOf(AUDIT_PATH, { ...(filter as Filter), [name]: undefined })}>
          <span class="hidden">Take this filter off: </span>
          <bdi>{name === 'by' && by ? `By ${by}` : SAID[name](value)}</bdi> <span aria-hidden="true">×</span>
        </a>
      ))}
      {on.length > 1 ? (
        <a class="chip" href={AUDIT_PATH}>
          Take all off
        </a>
      ) : null}
    </nav>
  )
}
