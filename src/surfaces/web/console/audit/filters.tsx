import {
  AUDIT_ACTION_GROUPS,
  type AuditActionGroup,
  listAuditActionsOfGroup,
  isAuditActionGroup,
} from '../../../../domains/audit/actions.ts'
import { RECORD_KIND_NAMES, getRecordKindNoun } from '../../../../domains/audit/kinds.ts'
import { type AuditEntryCounts, type AuditFilter, MAX_COUNTED_ENTRIES } from '../../../../domains/audit/log.ts'
import { Button, findFieldError, type FieldErrors, Input, Select } from '../../components/forms.tsx'
import { CollapsedFilters } from '../../components/search-bar.tsx'
import { buildListPath, type ListFilterValues } from '../filters.ts'
import { AUDIT_PATH } from './records.tsx'

export const AUDIT_FILTERS = ['client', 'event', 'person', 'by', 'app', 'via', 'group', 'tool', 'kind', 'record', 'from', 'until'] as const

export type AuditFilterValues = Record<(typeof AUDIT_FILTERS)[number], string | undefined>

/** The value of `via` for changes that organizers made through an assistant or another app. */
const THROUGH_APP = 'app'

/** Converts the query parameters to a filter of the audit log. */
export function toAuditFilter({ client, event, via, group, ...rest }: AuditFilterValues, zone: string): AuditFilter {
  return {
    ...rest,
    clientCode: client,
    eventCode: event,
    throughApp: via === THROUGH_APP,
    tools: group && isAuditActionGroup(group) ? listAuditActionsOfGroup(group) : undefined,
    zone,
  }
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const GROUPS = Object.entries(AUDIT_ACTION_GROUPS).map(([value, label]) => ({ value, label }))
const KINDS = RECORD_KIND_NAMES.map((value) => ({ value, label: capital(getRecordKindNoun(value)) })).toSorted((a, b) =>
  a.label.localeCompare(b.label, 'en'),
)
/**
 * Whether two kinds of records share this label, such as "Member" (members of a client and event staff). The filter then also shows the
 * internal name of each kind.
 */
const isAmbiguous = (label: string) => KINDS.filter((one) => one.label === label).length > 1
const KIND_CHOICES = KINDS.map(({ value, label }) => ({ value, label: isAmbiguous(label) ? `${label} (${value})` : label }))

interface Choice {
  value: string
  label: string
}

interface Choices {
  clients: readonly Choice[]
  events: readonly { code: string; name: string }[]
  apps: readonly string[]
}

/** Adds the selected value to the options of a filter if it is missing there, such as an old event or an app without recent changes. */
const withSelected = (choices: readonly Choice[], selected: string | undefined): Choice[] =>
  !selected || choices.some(({ value }) => value === selected) ? [...choices] : [...choices, { value: selected, label: selected }]

const countFilters = (filter: AuditFilterValues) => AUDIT_FILTERS.filter((name) => filter[name]).length

export const AuditSearch = ({
  filter,
  choices: { clients, events, apps },
  errors,
}: {
  filter: AuditFilterValues
  choices: Choices
  errors?: FieldErrors | undefined
}) => (
  <form method="get" action={AUDIT_PATH} class="card-pad" role="search" aria-label="Changes">
    {filter.by ? <input type="hidden" name="by" value={filter.by} /> : null}
    {filter.tool ? <input type="hidden" name="tool" value={filter.tool} /> : null}
    {filter.via ? <input type="hidden" name="via" value={filter.via} /> : null}
    <CollapsedFilters active={countFilters(filter)}>
      <div class="fields-3">
        <Input name="person" label="User" value={filter.person} help="Part of the name or email" />
        <Select
          name="event"
          label="Event"
          options={[
            { value: '', label: 'All events' },
            ...withSelected(
              events.map(({ code, name }) => ({ value: code, label: name })),
              filter.event,
            ),
          ]}
          value={filter.event}
        />
        <Select name="group" label="Action" options={[{ value: '', label: 'Any action' }, ...GROUPS]} value={filter.group} />
        <div class="submit-beside">
          <Button>Filter</Button>
        </div>
      </div>
      <details class="more-filters" open={Boolean(errors ?? filter.app ?? filter.kind ?? filter.record ?? filter.from ?? filter.until)}>
        <summary>More filters</summary>
        <div class="fields-3">
          {clients.length > 1 ? (
            <Select name="client" label="Client" options={[{ value: '', label: 'All clients' }, ...clients]} value={filter.client} />
          ) : null}
          <Select
            name="app"
            label="App"
            options={[
              { value: '', label: 'Any app' },
              ...withSelected(
                apps.map((app) => ({ value: app, label: capital(app) })),
                filter.app,
              ),
            ]}
            value={filter.app}
          />
          <Select name="kind" label="Record type" options={[{ value: '', label: 'Any type' }, ...KIND_CHOICES]} value={filter.kind} />
          <Input name="record" label="Record id" value={filter.record} />
          <Input name="from" type="date" label="From" value={filter.from} error={findFieldError(errors, 'from')} />
          <Input name="until" type="date" label="Until" value={filter.until} error={findFieldError(errors, 'until')} />
        </div>
        <div class="actions">
          <Button>
            Filter<span class="hidden"> by all fields</span>
          </Button>
        </div>
      </details>
    </CollapsedFilters>
  </form>
)

/** Maximum number of kinds of actions that are shown as links; the others are options of the filter. */
const MAX_GROUP_LINKS = 6

const formatCount = (count: number) => (count === MAX_COUNTED_ENTRIES ? `${count.toLocaleString('en')}+` : count.toLocaleString('en'))

/** Links to all changes, to those made through apps and to the most frequent kinds of actions, with their numbers. */
export const AuditActionLinks = ({ filter, counts }: { filter: AuditFilterValues; counts: AuditEntryCounts }) => {
  const groups = GROUPS.map(({ value, label }) => {
    const tools = listAuditActionsOfGroup(value as AuditActionGroup)
    return { value, label, count: tools.reduce((total, tool) => total + (counts.byTool.get(tool) ?? 0), 0) }
  })
  const frequent = groups.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count)
  const links = [
    { label: 'All', count: counts.all, set: { via: undefined, group: undefined } },
    { label: 'Through an assistant or app', count: counts.throughApp, set: { via: THROUGH_APP, group: undefined } },
    ...frequent
      .slice(0, MAX_GROUP_LINKS)
      .map(({ value, label, count }) => ({ label, count, set: { via: undefined, group: value as string | undefined } })),
  ]
  return (
    <nav class="chips" aria-label="Kinds of change">
      {links.map(({ label, count, set }) => (
        <a
          class="chip"
          href={buildListPath(AUDIT_PATH, { ...(filter as ListFilterValues), ...set })}
          aria-current={filter.via === set.via && filter.group === set.group ? 'page' : undefined}
        >
          {label} <span>{formatCount(count)}</span>
        </a>
      ))}
    </nav>
  )
}

/** Label of each active filter. Clicking it removes the filter. */
const FILTER_LABELS: Record<keyof AuditFilterValues, (value: string) => string> = {
  client: (value) => `Client ${value}`,
  event: (value) => `Event ${value}`,
  person: (value) => `By “${value}”`,
  by: () => 'By one user or app',
  app: (value) => `App ${value}`,
  via: () => 'Through an assistant or app',
  group: (value) => (isAuditActionGroup(value) ? AUDIT_ACTION_GROUPS[value as AuditActionGroup] : value),
  tool: (value) => `Action ${value}`,
  kind: (value) => `Type ${getRecordKindNoun(value)}`,
  record: (value) => `Record ${value}`,
  from: (value) => `From ${value}`,
  until: (value) => `Until ${value}`,
}

export const FilterChips = ({ filter, by }: { filter: AuditFilterValues; by: string | null }) => {
  const on = AUDIT_FILTERS.flatMap((name) => (filter[name] ? [{ name, value: filter[name] }] : []))
  if (on.length === 0) return null
  return (
    <nav class="chips" aria-label="Active filters">
      {on.map(({ name, value }) => (
        <a class="chip" href={buildListPath(AUDIT_PATH, { ...(filter as ListFilterValues), [name]: undefined })}>
          <span class="hidden">Remove filter: </span>
          <bdi>{name === 'by' && by ? `By ${by}` : FILTER_LABELS[name](value)}</bdi> <span aria-hidden="true">×</span>
        </a>
      ))}
      {on.length > 1 ? (
        <a class="chip" href={AUDIT_PATH}>
          Clear all
        </a>
      ) : null}
    </nav>
  )
}
