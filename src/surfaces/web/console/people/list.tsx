import { readDraft, readLive } from '../../../../domains/configuration/read.ts'
import { findParticipants } from '../../../../domains/registration/find-participants.ts'
import { BALANCE_FILTERS } from '../../../../domains/registration/participant-filters.ts'
import { PARTICIPANT_STATUSES, type ParticipantStatus } from '../../../../domains/registration/tables.ts'
import { AppError } from '../../../../kernel/errors.ts'
import { Button, ErrorSummary, type FieldErrors, Form } from '../../components/forms.tsx'
import { Heading } from '../../components/layout.tsx'
import { Card, EmptyState, Pagination, Status, Table, type Tone } from '../../components/parts.tsx'
import { SearchBar } from '../../components/search-bar.tsx'
import { formatTotal } from '../../totals.ts'
import { csrfFor, type Web, type WebContext } from '../../web.ts'
import { type EventPageContext, getEventPage, EVENT_PATH } from '../event/event-page.ts'
import { formatAmount } from '../event/figures.tsx'
import { type ListFilter, readQueryFilter, pageLinks, cursorScopeFor } from '../filters.ts'
import { consolePages, sendConsolePage } from '../frame.tsx'

const FILTERS = ['search', 'status', 'flow', 'product', 'balance', 'tag', 'test'] as const

export type FoundParticipant = Awaited<ReturnType<typeof findParticipants>>['participants'][number]

const TONES: Record<ParticipantStatus, Tone | undefined> = {
  complete: 'success',
  incomplete: undefined,
  waitlisted: 'warning',
  cancelled: 'danger',
}

export const ParticipantStatusBadge = ({ status }: { status: ParticipantStatus }) => {
  const tone = TONES[status]
  return <Status {...(tone ? { tone } : {})}>{status}</Status>
}

/** Converts the query parameters to arguments of `find_participants`. */
export const toParticipantFilter = (filter: ListFilter) => ({
  search: filter['search'],
  status: PARTICIPANT_STATUSES.filter((one) => one === filter['status']),
  flowSlug: filter['flow'],
  productCode: filter['product'],
  balance: BALANCE_FILTERS.find((one) => one === filter['balance']),
  ...(filter['tag'] ? { tagsAll: [filter['tag']] } : {}),
  includeTestData: filter['test'] === 'yes',
})

export const readParticipantFilter = (c: WebContext): ListFilter => readQueryFilter(c, FILTERS)

const PATH = `${EVENT_PATH}/participants`

const BALANCE_LABELS: Record<(typeof BALANCE_FILTERS)[number], string> = {
  due: 'Owes money',
  credit: 'Has credit',
  settled: 'Settled',
  none: 'No order',
}

interface Choice {
  value: string
  label: string
}

const FilterSelect = ({
  name,
  label,
  choices,
  value,
}: {
  name: string
  label: string
  choices: readonly Choice[]
  value: string | undefined
}) => (
  <>
    <label class="hidden" for={`by-${name}`}>
      {label}
    </label>
    <select id={`by-${name}`} name={name}>
      <option value="">{label}</option>
      {choices.map((choice) => (
        <option value={choice.value} selected={choice.value === value}>
          {choice.label}
        </option>
      ))}
    </select>
  </>
)

/** Filter options from the configuration. */
async function choicesOf({ reading }: EventPageContext) {
  const draft = await readDraft(reading)
  const { flows, products, tags } = ((await readLive(reading, draft)) ?? draft).config
  return {
    flows: flows.map(({ slug, name }) => ({ value: slug, label: name })),
    products: products.slice(0, 100).map(({ code, name }) => ({ value: code, label: name })),
    tags: tags.slice(0, 100).map(({ code, name }) => ({ value: code, label: name })),
  }
}

const PeopleTable = ({ at, people }: { at: EventPageContext; people: readonly FoundParticipant[] }) => (
  <Table
    caption="Participants"
    rows={people}
    columns={[
      {
        label: 'Name',
        lead: true,
        cell: (person) => (
          <>
            <a href={`${at.base}/participants/${person.id}`} dir="auto">
              {person.name || person.email || 'No name yet'}
            </a>
            <div class="muted">{person.email}</div>
          </>
        ),
      },
      { label: 'Company', cell: ({ company }) => (company ? <bdi>{company}</bdi> : null) },
      { label: 'Status', cell: ({ status }) => <ParticipantStatusBadge status={status} /> },
      { label: 'Number', short: true, cell: ({ confirmationNumber }) => confirmationNumber ?? '' },
      { label: 'Tags', cell: ({ tags }) => tags.slice(0, 5).join(', ') },
      {
        label: 'Balance',
        number: true,
        cell: ({ balance }) => (Number(balance.amount) === 0 ? <span class="muted">—</span> : formatAmount(balance)),
      },
    ]}
  />
)

/** `…/participants`: the searchable list of participants. */
export function peoplePages(web: Web) {
  return consolePages(web).get(PATH, async (c) => {
    const at = await getEventPage(web, c, 'registration.read')
    const filter = readParticipantFilter(c)
    const cursor = c.req.query('cursor') || undefined
    const here = `${at.base}/participants`
    const ctx = { ...at.reading, cursorScope: cursorScopeFor(at.session.userId, `participants of ${at.event.id}`, filter) }
    const read = findParticipants(ctx, { ...toParticipantFilter(filter), limit: 50, cursor })
      .then((some) => ({ found: some, errors: undefined as FieldErrors | undefined }))
      .catch((error: unknown) => {
        if (error instanceof AppError && error.details.fields)
          return { found: null, errors: error.details.fields.map(({ message }) => ({ path: '', message })) }
        throw error
      })
    const [{ found, errors }, { flows, products, tags }] = await Promise.all([read, choicesOf(at)])
    const cancelled = found && 'cancelledAlsoMatch' in found ? found.cancelledAlsoMatch : 0
    return sendConsolePage(
      web,
      c,
      { title: `Participants of ${at.event.name}`, current: here, client: at.client, event: at, status: errors ? 400 : 200 },
      <>
        <Heading
          title="Participants"
          text={found ? `${formatTotal(found, 'participant')}${cancelled ? `, and ${cancelled} cancelled` : ''}` : undefined}
          crumbs={[{ href: at.base, label: at.event.name }]}
        >
          {found && found.participants.length > 0 && at.permissions.has('personal.export') ? (
            <Form action={`${here}/export`} csrf={csrfFor(web, c)}>
              {Object.entries(filter).map(([name, value]) => (value ? <input type="hidden" name={name} value={value} /> : null))}
              <Button>Download CSV</Button>
            </Form>
          ) : null}
        </Heading>
        <ErrorSummary errors={errors} />
        <Card pad={false}>
          <SearchBar
            action={here}
            label="Search participants"
            placeholder="Name, company, email or number"
            search={filter['search']}
            status={filter['status']}
            statuses={PARTICIPANT_STATUSES}
          >
            {flows.length > 1 ? <FilterSelect name="flow" label="Any flow" choices={flows} value={filter['flow']} /> : null}
            {products.length > 0 ? <FilterSelect name="product" label="Any product" choices={products} value={filter['product']} /> : null}
            {tags.length > 0 ? <FilterSelect name="tag" label="Any tag" choices={tags} value={filter['tag']} /> : null}
            <FilterSelect
              name="balance"
              label="Any balance"
              choices={BALANCE_FILTERS.map((one) => ({ value: one, label: BALANCE_LABELS[one] }))}
              value={filter['balance']}
            />
            <FilterSelect name="test" label="Real data" choices={[{ value: 'yes', label: 'With test data' }]} value={filter['test']} />
          </SearchBar>
          {found && found.participants.length > 0 ? (
            <PeopleTable at={at} people={found.participants} />
          ) : (
            <EmptyState title="No participants found" ask={`Who registered for ${at.event.name} this week?`}>
              <p>
                {cancelled
                  ? `${cancelled} cancelled participants match. Choose the status “cancelled” to see them.`
                  : 'Change your search. If the list is empty, there are no registrations yet.'}
              </p>
            </EmptyState>
          )}
          <Pagination {...pageLinks(here, filter, cursor, found?.nextCursor ?? null)} />
        </Card>
      </>,
    )
  })
}
