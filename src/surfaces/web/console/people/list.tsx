import { readDraftConfiguration, readLiveConfiguration } from '../../../../domains/configuration/read.ts'
import type { EventConfig } from '../../../../domains/configuration/schema/event-config.ts'
import { findParticipants } from '../../../../domains/registration/find/find-participants.ts'
import { BALANCE_FILTERS } from '../../../../domains/registration/find/participant-filters.ts'
import { readRegistrationDates } from '../../../../domains/registration/find/registration-dates.ts'
import { PARTICIPANT_STATUSES, type ParticipantStatus } from '../../../../domains/registration/tables.ts'
import { AppError } from '../../../../kernel/errors.ts'
import { formatInstantWithTimeZone } from '../../../../kernel/language/format.ts'
import { toDayInZone } from '../../../../kernel/time.ts'
import { formatDayOmittingYear } from '../../components/dates.ts'
import { Button, Form } from '../../components/forms.tsx'
import { renderListPage } from '../../components/list-page.tsx'
import { StatusDot, StatusLabel, type TableColumn, type ColourTone } from '../../components/parts.tsx'
import { hasKnownFilterValue, type ListFilterField, buildStatusFilter } from '../../components/search-bar.tsx'
import type { FormErrors } from '../../fields.ts'
import { formatTotalWithNoun } from '../../totals.ts'
import { getCsrfToken, type WebServices } from '../../web.ts'
import { getEventPageContext, CONSOLE_EVENT_PATH } from '../event/event-page.ts'
import { TestDataSwitch } from '../event/test-data.tsx'
import { formatAmountWithCurrency } from '../money/amounts.ts'
import { type ListFilterValues, readListQuery } from '../filters.ts'
import { createConsoleRouter, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'

const FILTERS = ['search', 'status', 'flow', 'product', 'balance', 'tag', 'test'] as const

export type ListedParticipant = Awaited<ReturnType<typeof findParticipants>>['participants'][number]

const TONES: Record<ParticipantStatus, ColourTone | undefined> = {
  complete: 'success',
  incomplete: 'warning',
  waitlisted: 'warning',
  cancelled: 'danger',
}

export const ParticipantStatusDot = ({ status }: { status: ParticipantStatus }) => (
  <StatusDot tone={TONES[status]} hollow={status === 'incomplete'}>
    {status}
  </StatusDot>
)

export const ParticipantStatusBadge = ({ status }: { status: ParticipantStatus }) => (
  <StatusLabel tone={TONES[status]}>{status}</StatusLabel>
)

/** Converts the query parameters to arguments of `find_participants`. */
export const toParticipantFilter = (filter: ListFilterValues) => ({
  search: filter['search'],
  status: PARTICIPANT_STATUSES.filter((one) => one === filter['status']),
  flowSlug: filter['flow'],
  productCode: filter['product'],
  balance: BALANCE_FILTERS.find((one) => one === filter['balance']),
  ...(filter['tag'] ? { tagsAll: [filter['tag']] } : {}),
  includeTestData: filter['test'] === 'yes',
})

const PATH = `${CONSOLE_EVENT_PATH}/participants`

const BALANCE_LABELS: Record<(typeof BALANCE_FILTERS)[number], string> = {
  due: 'Owes money',
  credit: 'Has credit',
  settled: 'Settled',
  none: 'No order',
}

/** Builds the filters of the list, with options from the configuration. Filters without options are left out. */
function filterFields({ flows, products, tags }: EventConfig, filter: ListFilterValues): ListFilterField[] {
  const named = (items: readonly { code: string; name: string }[]) =>
    items.slice(0, 100).map(({ code, name }) => ({ value: code, label: name }))
  const choices = [
    { name: 'flow', label: 'Any flow', options: flows.length > 1 ? flows.map(({ slug, name }) => ({ value: slug, label: name })) : [] },
    { name: 'product', label: 'Any product', options: named(products) },
    { name: 'tag', label: 'Any tag', options: named(tags) },
    { name: 'balance', label: 'Any balance', options: BALANCE_FILTERS.map((one) => ({ value: one, label: BALANCE_LABELS[one] })) },
  ]
  const shown = choices.filter(({ options }) => options.length > 0).map((choice) => ({ ...choice, value: filter[choice.name] }))
  return [...shown, buildStatusFilter(PARTICIPANT_STATUSES, filter['status'])]
}

interface ColumnContext {
  base: string
  timezone: string
  today: string
  /** Names of tags by code; null if no participant on the page has a tag. */
  tagNames: ReadonlyMap<string, string> | null
  registeredAt: ReadonlyMap<string, Date>
}

const MAX_TAGS_SHOWN = 5

const participantColumns = ({ base, timezone, today, tagNames, registeredAt }: ColumnContext): TableColumn<ListedParticipant>[] => [
  {
    label: 'Name',
    lead: true,
    cell: (person) => (
      <>
        <a href={`${base}/participants/${person.id}`} dir="auto">
          {person.name || person.email || 'No name yet'}
        </a>
        <div class="muted">
          <span class="address">{person.email}</span>
        </div>
      </>
    ),
  },
  {
    label: 'Company',
    twoLine: 'detail',
    cell: ({ company, name, email }) => (company ? <bdi>{company}</bdi> : name && email ? <span class="narrow-only">{email}</span> : null),
  },
  {
    label: 'Registered',
    short: true,
    cell: ({ id }) => {
      const at = registeredAt.get(id)
      const day = at && toDayInZone(timezone, at)
      return at && day ? (
        <time datetime={day} title={formatInstantWithTimeZone('en-GB', at, timezone)}>
          {formatDayOmittingYear(day, today)}
        </time>
      ) : null
    },
  },
  ...(tagNames
    ? [
        {
          label: 'Tags',
          cell: ({ tags }: ListedParticipant) => {
            const rest = tags.length - MAX_TAGS_SHOWN
            const names = tags.slice(0, MAX_TAGS_SHOWN).map((code) => tagNames.get(code) ?? code)
            return [...names, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
          },
        },
      ]
    : []),
  { label: 'Status', short: true, twoLine: 'mark', cell: ({ status }) => <ParticipantStatusDot status={status} /> },
  {
    label: 'Balance',
    number: true,
    twoLine: 'figure',
    cell: ({ balance }) => (Number(balance.amount) === 0 ? <span class="muted">–</span> : formatAmountWithCurrency(balance)),
  },
]

/**
 * Returns errors about filter values in the URL that are no options of the filter, for example in an old bookmark; null without any.
 */
function explainUnknownValues(filters: readonly ListFilterField[]): FormErrors | null {
  const unknown = filters.filter((filter) => filter.value && !hasKnownFilterValue(filter))
  const errors = unknown.map(({ name, value }) => ({ path: '', message: `There is no ${name} “${value}”. Choose one from the list.` }))
  return errors.length > 0 ? { errors } : null
}

/** `…/participants`: the searchable list of participants. */
export function participantListPages(web: WebServices) {
  return createConsoleRouter(web).get(PATH, async (c) => {
    const at = await getEventPageContext(web, c, 'registration.read')
    const { filter, cursor, cursorScope, pageLinks } = readListQuery(c, `participants of ${at.event.id}`, FILTERS)
    const here = `${at.base}/participants`
    const read = findParticipants({ ...at.reading, cursorScope }, { ...toParticipantFilter(filter), limit: 50, cursor })
      .then((found) => ({ found, formErrors: null as FormErrors | null }))
      .catch((error: unknown) => {
        if (error instanceof AppError && error.details.fields)
          return { found: null, formErrors: { errors: error.details.fields.map(({ message }) => ({ path: '', message })) } as FormErrors }
        throw error
      })
    const readConfiguration = async () => {
      const draft = await readDraftConfiguration(at.reading)
      return { ...((await readLiveConfiguration(at.reading, draft)) ?? draft), now: draft.facts.now }
    }
    const [{ found, formErrors: readErrors }, { config, now }] = await Promise.all([read, readConfiguration()])
    const filters = filterFields(config, filter)
    const formErrors = readErrors && (explainUnknownValues(filters) ?? readErrors)
    const cancelled = found && 'cancelledAlsoMatch' in found ? found.cancelledAlsoMatch : 0
    const rows = found?.participants ?? []
    const registeredAt = await readRegistrationDates(
      at.reading,
      rows.map(({ id }) => id),
    )
    const isFiltered = Object.values(filter).some((value) => value !== undefined)
    const isEmpty = rows.length === 0 && !isFiltered && formErrors === null && cancelled === 0
    const page = renderListPage({
      title: `Participants of ${at.event.name}`,
      heading: 'Participants',
      text:
        found && !isEmpty ? `${formatTotalWithNoun(found, 'participant')}${cancelled ? `, and ${cancelled} cancelled` : ''}` : undefined,
      crumbs: [{ href: at.base, label: at.event.name }],
      actions: (
        <>
          <TestDataSwitch test={filter.test === 'yes'} here={here} />
          {rows.length > 0 && at.permissions.has('personal.export') ? (
            <Form action={`${here}/export`} csrf={getCsrfToken(web, c)}>
              {Object.entries(filter).map(([name, value]) => (value ? <input type="hidden" name={name} value={value} /> : null))}
              <Button>Download CSV</Button>
            </Form>
          ) : null}
        </>
      ),
      formErrors,
      ...(isEmpty
        ? {}
        : {
            search: {
              action: here,
              search: { label: 'Search participants', placeholder: 'Name, email or number', value: filter.search },
              filters,
              kept: { test: filter.test },
            },
          }),
      caption: 'Participants',
      columns: participantColumns({
        base: at.base,
        timezone: at.event.timezone,
        today: toDayInZone(at.event.timezone, now),
        tagNames: rows.some(({ tags }) => tags.length > 0) ? new Map(config.tags.map(({ code, name }) => [code, name])) : null,
        registeredAt,
      }),
      rows,
      empty: formErrors
        ? { title: 'The search did not run', text: 'Correct the filters above, and search again.' }
        : isEmpty
          ? {
              title: 'No registrations yet',
              text: 'People appear here when they begin to register.',
              ask: `Make a test registration for ${at.event.name} and show me what the participant sees.`,
            }
          : {
              title: 'No participants found',
              text: cancelled ? (
                `${cancelled} cancelled participants match. Choose the status “cancelled” to see them.`
              ) : (
                <>
                  Change your search, or <a href={here}>clear the search and filters</a>.
                </>
              ),
            },
      pages: pageLinks(here, found?.nextCursor ?? null, found?.total),
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'participants'), page)
  })
}
