import type { Child } from 'hono/jsx'
import {
  type InvoiceAgeRange,
  listOpenInvoices,
  type OpenInvoiceTotals,
  type OpenInvoice,
  readOpenInvoiceTotals,
  readCurrentDayAtEvent,
} from '../../../../domains/orders/overview/open-invoices.ts'
import { readEventMoneyTotals, type EventMoneyTotals } from '../../../../domains/orders/overview/money-figures.ts'
import { countMoneyMovements, listMoneyMovements, type MoneyMovement } from '../../../../domains/orders/overview/movements.ts'
import { getDatabaseTime } from '../../../../kernel/database-time.ts'
import { formatTime } from '../../../../kernel/language/format.ts'
import { SegmentedBar, formatInteger } from '../../components/figures.tsx'
import { formatDate } from '../../components/dates.ts'
import { LinkButton } from '../../components/forms.tsx'
import { ListCard } from '../../components/list-page.tsx'
import { renderContentPage } from '../../components/page.tsx'
import {
  AssistantPrompt,
  Card,
  EmptyState,
  Notice,
  StatusDot,
  StatusLabel,
  type TableColumn,
  TimestampText,
} from '../../components/parts.tsx'
import { formatTotalWithNoun } from '../../totals.ts'
import { getCsrfToken, type WebServices } from '../../web.ts'
import { type EventPageContext, CONSOLE_EVENT_PATH, getEventPageContext } from '../event/event-page.ts'
import { buildListPath, readListQuery } from '../filters.ts'
import { createConsoleRouter, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { formatAmountWithoutCurrency, formatAmountWithCurrency, isZeroMoney, moneyToMinorUnits } from './amounts.ts'
import { ExportCard } from './export-card.tsx'
import { PAYMENT_METHOD_LABELS, PAYMENT_METHOD_OPTIONS } from './methods.ts'
import { MONEY_MOVEMENT_FILTERS, MONEY_MOVEMENT_PERIODS, toMoneyMovementFilter } from './movement-filters.ts'
import { createDocumentPathBuilder } from './order-pages.tsx'

const PATH = `${CONSOLE_EVENT_PATH}/money`
const SHOWN_OVERDUE = 5

type Figures = Record<InvoiceAgeRange, OpenInvoiceTotals>

interface MeterRow {
  label: string
  href: string
  amount: Child
  size: number
  tone?: 1 | 3
}

/** A list of amounts with bars. Each amount links to the list of invoices or payments that it sums. */
const Meter = ({ rows, whole, tone }: { rows: readonly MeterRow[]; whole: number; tone: 1 | 3 }) => (
  <ul class="meter">
    {rows.map(({ label, href, amount, size, tone: own = tone }) => (
      <li>
        <a href={href}>{label}</a>
        <span class="v">{amount}</span>
        <SegmentedBar parts={[{ size: Math.max(0, size), tone: own }]} whole={whole} />
      </li>
    ))}
  </ul>
)

const countInvoices = (count: number) => `${formatInteger(count)} ${count === 1 ? 'invoice' : 'invoices'}`

interface FiguresProps {
  open: Figures
  money: EventMoneyTotals
  /** Returns the URL of the list of open invoices in an age range, such as 1 to 30 days overdue. */
  invoices: (age: InvoiceAgeRange) => string
  /** Returns the URL of the list of payments and refunds by this payment method, or of all of them. */
  movements: (method?: string) => string
}

const AGES: readonly [InvoiceAgeRange, string][] = [
  ['d1to30', '1 to 30 days'],
  ['d31to60', '31 to 60 days'],
  ['d61to90', '61 to 90 days'],
  ['over90', 'Over 90 days'],
]

const MoneyFiguresSection = ({ open, money, invoices, movements }: FiguresProps) => {
  const row = (age: InvoiceAgeRange, label: string): MeterRow => ({
    label,
    href: invoices(age),
    amount: formatAmountWithoutCurrency(open[age].balance),
    size: moneyToMinorUnits(open[age].balance),
  })
  const aged = (age: InvoiceAgeRange, label: string) =>
    row(age, open[age].count > 0 ? `${label}, ${formatInteger(open[age].count)}` : label)
  const received = Math.max(0, ...money.byMethod.map(({ amount }) => moneyToMinorUnits(amount)), moneyToMinorUnits(money.received))
  return (
    <div class="figures even">
      <section aria-labelledby="figure-open">
        <h2 id="figure-open">Open</h2>
        <p class="big-number">
          <strong>
            <a href={invoices('open')}>{formatAmountWithoutCurrency(open.open.balance)}</a>
          </strong>
          <span>of {formatAmountWithoutCurrency(money.invoiced)} invoiced</span>
        </p>
        {open.open.count > 0 ? (
          <p class="delta">
            <a href={invoices('open')}>All {countInvoices(open.open.count)}</a>
          </p>
        ) : null}
        <Meter
          tone={1}
          whole={moneyToMinorUnits(open.open.balance)}
          rows={[
            row('current', `Not yet due, ${countInvoices(open.current.count)}`),
            { ...row('overdue', `Overdue, ${countInvoices(open.overdue.count)}`), tone: 3 },
          ]}
        />
      </section>
      <section aria-labelledby="figure-overdue">
        <h2 id="figure-overdue">Overdue, by age</h2>
        <p class="big-number">
          <strong>
            <a href={invoices('overdue')}>{formatAmountWithoutCurrency(open.overdue.balance)}</a>
          </strong>
          <span>{countInvoices(open.overdue.count)}</span>
        </p>
        <Meter tone={3} whole={moneyToMinorUnits(open.overdue.balance)} rows={AGES.map(([age, label]) => aged(age, label))} />
      </section>
      <section aria-labelledby="figure-received">
        <h2 id="figure-received">Received, by method</h2>
        <p class="big-number">
          <strong>
            <a href={movements()}>{formatAmountWithoutCurrency(money.received)}</a>
          </strong>
          {isZeroMoney(money.refunded) ? null : <span>after {formatAmountWithoutCurrency(money.refunded)} refunded</span>}
        </p>
        {money.byMethod.length === 0 ? <p class="muted figure-none">No payments yet.</p> : null}
        <Meter
          tone={1}
          whole={received}
          rows={money.byMethod.map(({ method, amount }) => ({
            label: PAYMENT_METHOD_LABELS[method],
            href: movements(method),
            amount: formatAmountWithoutCurrency(amount),
            size: moneyToMinorUnits(amount),
          }))}
        />
      </section>
    </div>
  )
}

/** The payer's name, linked to the page of the order. */
const PayerLink = ({ at, payer, orderNumber }: { at: EventPageContext } & Pick<OpenInvoice, 'payer' | 'orderNumber'>) => {
  const href =
    payer.participantId === null
      ? `${at.base}/money/orders/${encodeURIComponent(orderNumber)}`
      : `${at.base}/participants/${payer.participantId}/money`
  return (
    <a href={href} dir="auto">
      {payer.name}
      {payer.kind === 'group' ? ', group' : ''}
    </a>
  )
}

const Document = ({ at, number }: { at: EventPageContext; number: string }) => {
  const path = createDocumentPathBuilder(at)
  return path ? <a href={path(number)}>{number}</a> : <>{number}</>
}

/** The columns of a list of open invoices. */
export const buildOpenInvoiceColumns = (at: EventPageContext): TableColumn<OpenInvoice>[] => [
  { label: 'Payer', lead: true, cell: (invoice) => <PayerLink at={at} {...invoice} /> },
  { label: 'Organisation', cell: ({ payer }) => (payer.organisation ? <bdi class="muted">{payer.organisation}</bdi> : null) },
  { label: 'Invoice', short: true, twoLine: 'detail', cell: ({ number }) => <Document at={at} number={number} /> },
  {
    label: 'Due',
    short: true,
    twoLine: 'mark',
    cell: ({ dueOn, daysOverdue }) =>
      daysOverdue > 0 ? (
        <StatusDot tone="danger">{`${daysOverdue} ${daysOverdue === 1 ? 'day' : 'days'} overdue`}</StatusDot>
      ) : (
        <span class="muted">
          <span class="narrow-only">due </span>
          {formatDate(dueOn)}
        </span>
      ),
  },
  { label: 'Open', number: true, twoLine: 'figure', cell: ({ balance }) => <b>{formatAmountWithoutCurrency(balance)}</b> },
]

const movementColumns = (at: EventPageContext): TableColumn<MoneyMovement>[] => [
  { label: 'Payer', lead: true, cell: ({ payer, orderNumbers }) => <PayerLink at={at} payer={payer} orderNumber={orderNumbers[0]!} /> },
  { label: 'Receipt', short: true, cell: ({ receiptNumber }) => <Document at={at} number={receiptNumber} /> },
  {
    label: 'Method',
    twoLine: 'detail',
    cell: ({ kind, method, reference, invoiceNumbers, isReversed }) => (
      <span>
        {PAYMENT_METHOD_LABELS[method]}
        {reference ? <bdi class="muted"> · {reference}</bdi> : null}
        {invoiceNumbers.length > 1 ? <span class="muted"> · {invoiceNumbers.length} invoices</span> : null}{' '}
        {kind === 'payment' ? null : (
          <StatusDot tone={kind === 'reversal' ? 'danger' : undefined}>{kind === 'refund' ? 'Refund' : 'Reversal'}</StatusDot>
        )}
        {isReversed ? <StatusDot tone="danger">Reversed</StatusDot> : null}
      </span>
    ),
  },
  { label: 'Received', twoLine: 'mark', cell: ({ at: when }) => <TimestampText at={when} /> },
  { label: 'Amount', number: true, twoLine: 'figure', cell: ({ amount }) => <b>{formatAmountWithoutCurrency(amount)}</b> },
]

/** `…/money`: open and overdue invoices, money received by method, payments and refunds, and the export. */
export function moneyPages(web: WebServices) {
  return createConsoleRouter(web).get(PATH, async (c) => {
    const at = await getEventPageContext(web, c, 'registration.read')
    const { filter, cursor, cursorScope, pageLinks } = readListQuery(c, `money of ${at.event.id}`, MONEY_MOVEMENT_FILTERS)
    const here = `${at.base}/money`
    const { reading } = at
    const [today, now] = [await readCurrentDayAtEvent(reading), await getDatabaseTime(reading)]
    const wanted = toMoneyMovementFilter(filter, today)
    const of = { isTestData: wanted.isTestData }
    const [open, money, overdue, found, total] = await Promise.all([
      readOpenInvoiceTotals(reading, of),
      readEventMoneyTotals(reading, of),
      listOpenInvoices(reading, { ...of, age: 'overdue', limit: SHOWN_OVERDUE }),
      listMoneyMovements({ ...reading, cursorScope }, { ...wanted, limit: 50, cursor }),
      countMoneyMovements(reading, wanted),
    ])
    const testFilter = filter.test ? { test: filter.test } : {}
    const mayRecord = at.permissions.has('money.write')
    const { test: _, ...searched } = filter
    const isFiltered = Object.values(searched).some((value) => value !== undefined)
    const head = {
      title: `Money of ${at.event.name}`,
      heading: 'Money',
      text: `All amounts in ${at.event.currency}, tax included. As of today, ${formatTime('en-GB', now, at.event.timezone)} (${at.event.timezone}).`,
      crumbs: [{ href: at.base, label: at.event.name }],
    }
    const other = wanted.isTestData ? { href: here, label: 'Show real data' } : { href: `${here}?test=yes`, label: 'Show test data' }
    const switchData = money.hasTestData || wanted.isTestData ? <LinkButton href={other.href}>{other.label}</LinkButton> : null
    if (isZeroMoney(money.invoiced) && money.byMethod.length === 0) {
      const empty = renderContentPage(
        { ...head, actions: switchData },
        <Card pad={false}>
          <EmptyState
            title="No invoices yet"
            ask={`Make a test registration with a full ticket for ${at.event.name} so that I can see an invoice.`}
          >
            <p>Invoices appear here when the first paid registration is complete.</p>
          </EmptyState>
        </Card>,
      )
      return sendConsolePage(web, c, getNavigationPosition(at, 'money'), empty)
    }
    const page = renderContentPage(
      {
        ...head,
        actions: (
          <div class="row">
            {switchData}
            <LinkButton href="#export">Export</LinkButton>
            {mayRecord ? (
              <LinkButton href={`${here}/record`} tone="primary">
                Record a payment
              </LinkButton>
            ) : null}
          </div>
        ),
      },
      <>
        {wanted.isTestData ? (
          <Notice tone="warning">
            <StatusLabel tone="warning">test data</StatusLabel> These amounts come from test registrations. They are not in your books.
          </Notice>
        ) : null}
        <MoneyFiguresSection
          open={open}
          money={money}
          invoices={(age) => buildListPath(`${here}/invoices`, { age, ...testFilter })}
          movements={(method) => `${buildListPath(here, { method, ...testFilter })}#payments`}
        />
        {overdue.invoices.length > 0 ? (
          <ListCard
            title="Overdue, oldest first"
            actions={
              <a href={buildListPath(`${here}/invoices`, { age: 'overdue', ...testFilter })}>All {formatInteger(open.overdue.count)}</a>
            }
            caption="Overdue invoices"
            rows={overdue.invoices}
            columns={buildOpenInvoiceColumns(at)}
            foot={
              <AssistantPrompt
                id="ask-overdue"
                text="Send a friendly reminder to everyone whose invoice is more than 30 days overdue. Show me the list first."
              />
            }
          />
        ) : null}
        <ListCard
          id="payments"
          title="Payments and refunds"
          actions={found.movements.length > 0 ? <span class="v">{formatTotalWithNoun(total, 'record')}, newest first</span> : null}
          caption="Payments and refunds"
          search={{
            action: `${here}#payments`,
            search: { label: 'Search payments', placeholder: 'Name, invoice, receipt or reference', value: filter.search },
            filters: [
              { name: 'method', label: 'Any method', options: PAYMENT_METHOD_OPTIONS, value: filter.method },
              { name: 'period', label: 'Any time', options: MONEY_MOVEMENT_PERIODS, value: filter.period },
              {
                name: 'kind',
                label: 'Any kind',
                options: [
                  { value: 'payment', label: 'Payments' },
                  { value: 'refund', label: 'Refunds' },
                  { value: 'reversal', label: 'Reversals' },
                ],
                value: filter.kind,
              },
              ...(wanted.isTestData
                ? [{ name: 'test', label: 'Real data', options: [{ value: 'yes', label: 'Test data' }], value: 'yes' }]
                : []),
            ],
          }}
          rows={found.movements}
          columns={movementColumns(at)}
          empty={
            isFiltered
              ? { title: 'No payments found', text: 'Change your search, or choose another filter.' }
              : { title: 'No payments yet', text: 'Card payments appear here automatically. Record money that arrived in another way.' }
          }
          pages={pageLinks(here, found.nextCursor, total.total)}
        />
        <ExportCard at={at} csrf={getCsrfToken(web, c)} today={today} isTestData={wanted.isTestData} />
      </>,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'money'), page)
  })
}

/** `…/money/invoices`: open invoices by age, earliest due date first. */
export function unpaidInvoicePages(web: WebServices) {
  return createConsoleRouter(web).get(`${PATH}/invoices`, async (c) => {
    const at = await getEventPageContext(web, c, 'registration.read')
    const { filter, cursor, cursorScope, pageLinks } = readListQuery(c, `open invoices of ${at.event.id}`, ['age', 'search', 'test'])
    const here = `${at.base}/money/invoices`
    const isTestData = filter.test === 'yes'
    const age = LISTED_AGES.find(({ value }) => value === filter.age)?.value ?? 'open'
    const [open, found] = await Promise.all([
      readOpenInvoiceTotals(at.reading, { isTestData }),
      listOpenInvoices({ ...at.reading, cursorScope }, { age, search: filter.search, isTestData, limit: 50, cursor }),
    ])
    const page = renderContentPage(
      {
        title: `Open invoices of ${at.event.name}`,
        heading: 'Open invoices',
        text: `${countInvoices(open[age].count)}, ${formatAmountWithCurrency(open[age].balance)} open${isTestData ? ' (test data)' : ''}`,
        crumbs: [
          { href: at.base, label: at.event.name },
          { href: `${at.base}/money`, label: 'Money' },
        ],
      },
      <ListCard
        search={{
          action: here,
          search: { label: 'Search invoices', placeholder: 'Name, company, invoice or order', value: filter.search },
          filters: [
            { name: 'age', label: 'All open invoices', options: LISTED_AGES.filter(({ value }) => value !== 'open'), value: age },
            ...(isTestData ? [{ name: 'test', label: 'Real data', options: [{ value: 'yes', label: 'Test data' }], value: 'yes' }] : []),
          ],
        }}
        caption="Open invoices"
        rows={found.invoices}
        columns={buildOpenInvoiceColumns(at)}
        empty={{ title: 'No open invoices found', text: 'Change your search, or choose another age.' }}
        pages={pageLinks(here, found.nextCursor, filter.search === undefined ? open[age].count : undefined)}
      />,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'money'), page)
  })
}

const LISTED_AGES: { value: InvoiceAgeRange; label: string }[] = [
  { value: 'open', label: 'All open invoices' },
  { value: 'current', label: 'Not yet due' },
  { value: 'overdue', label: 'Overdue' },
  { value: 'd1to30', label: '1 to 30 days overdue' },
  { value: 'd31to60', label: '31 to 60 days overdue' },
  { value: 'd61to90', label: '61 to 90 days overdue' },
  { value: 'over90', label: 'Over 90 days overdue' },
]
