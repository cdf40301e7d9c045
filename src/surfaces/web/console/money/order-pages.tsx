import type { Child } from 'hono/jsx'
import { readUserNames } from '../../../../domains/access/user-names.ts'
import { getParticipantDetails } from '../../../../domains/registration/find/get-participant.ts'
import { findGroup } from '../../../../domains/groups/groups.ts'
import { findOrder, getOrderByNumber, type OrderRow } from '../../../../domains/orders/orders.ts'
import { getOrderPayer } from '../../../../domains/orders/overview/payers.ts'
import { renderContentPage } from '../../components/page.tsx'
import { Card, EmptyState, Notice, StatusLabel } from '../../components/parts.tsx'
import type { FormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { type EventPageContext, CONSOLE_EVENT_PATH, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requireConsoleForm, requirePermission, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { ParticipantHeading } from '../people/heading.tsx'
import { OrdersPaidByOthers } from '../people/paid-by-others.tsx'
import { getParticipantPageContext, type ParticipantPageContext, CONSOLE_PARTICIPANT_PATH } from '../people/participant-page.ts'
import { runFormToolCall } from '../tool-call.ts'
import type { MoneyActionFormState } from './act-forms.tsx'
import {
  type MoneyAction,
  TOOL_BY_MONEY_ACTION,
  MONEY_ACTIONS,
  explainMoneyActionRefusal,
  getActionFieldName,
  listActionFieldNames,
  MONEY_ACTION_REFUSAL_MESSAGES,
  readMoneyActionForm,
} from './acts.ts'
import { sumMoney, formatAmountWithCurrency, isZeroMoney } from './amounts.ts'
import { describeMoneyActionEffects, type EditParticipantMoneyResult, type PaymentResult } from './effects.tsx'
import { type OrderMoneyPageData, readOrderMoneyPageData } from './order-account.ts'
import { BalanceBadge, OrderView } from './order-view.tsx'

/** The order that a page shows: the order of a participant, or the order with the number in the URL. */
interface OrderPlace {
  at: EventPageContext
  order: OrderRow | null
  name: string
  here: string
  /** The navigation entry of the page. */
  entry: 'participants' | 'money'
  title: string
  /** Whether another order contains products of this participant. */
  isPaidByOthers?: boolean
  head: (account: OrderMoneyPageData | null) => Promise<Child> | Child
}

const NO_STATE: MoneyActionFormState = { form: {}, formErrors: null, checked: null }

const findAct = (name: string | undefined): MoneyAction | null => MONEY_ACTIONS.find((act) => act === name) ?? null

/** Returns the action that is expanded when the page opens: the requested one, otherwise the one that the balance suggests. */
const chooseAct = (asked: MoneyAction | null, { open, credit }: OrderMoneyPageData): MoneyAction | null =>
  asked ?? (isZeroMoney(open) ? (isZeroMoney(credit) ? null : 'refund') : 'payment')

const NO_ORDER = 'There is no order yet. It is created when a registration with a product is complete.'

/** Shows an order with the forms for money actions, such as payments and refunds. */
async function sendOrderPage(
  web: WebServices,
  c: WebContext,
  place: OrderPlace,
  asked: { act: MoneyAction | null; state: MoneyActionFormState },
) {
  const { at, order, name, here, title } = place
  const account = order ? await readOrderMoneyPageData(at, order, name) : null
  const { state } = asked
  const content = account ? (
    <>
      <DoneNotice c={c} account={account} place={place} />
      <OrderView
        account={account}
        currency={at.event.currency}
        here={here}
        csrf={getCsrfToken(web, c)}
        allowed={listAllowed(at)}
        act={asked.act ?? chooseAct(null, account)}
        state={state}
        documentPath={createDocumentPathBuilder(at)}
        names={await readUserNames(at.reading, [
          ...[...account.money.payments.values()].map(({ recordedBy }) => recordedBy),
          ...account.money.movements.map(({ recordedBy }) => recordedBy),
        ])}
      />
    </>
  ) : place.isPaidByOthers ? null : (
    <Card>
      <EmptyState title="No order" ask={`Which products are on sale at ${at.event.name}?`}>
        <p>{NO_ORDER}</p>
      </EmptyState>
    </Card>
  )
  const page = renderContentPage({ title, head: await place.head(account), formErrors: state.formErrors }, content)
  return sendConsolePage(web, c, getNavigationPosition(at, place.entry), page)
}

export const createDocumentPathBuilder = (at: EventPageContext) =>
  at.permissions.has('personal.read') ? (number: string) => `${at.base}/money/documents/${encodeURIComponent(number)}.pdf` : null

/** Returns which actions the user may use. Removing a product changes a registration as well as money, so it needs both permissions. */
const listAllowed = ({ permissions, event }: EventPageContext) => ({
  money: permissions.has('money.write'),
  products: permissions.has('money.write') && permissions.has('registration.write') && event.status !== 'archived',
})

/**
 * A notice about the action that was just saved. The URL contains only numbers of this order's records; their texts are read from the
 * database.
 */
const DoneNotice = ({ c, account, place }: { c: WebContext; account: OrderMoneyPageData; place: OrderPlace }) => {
  const { record, movements } = account.money
  const document = (number: string) => {
    const path = createDocumentPathBuilder(place.at)
    return path ? <a href={path(number)}>{number}</a> : number
  }
  const done = c.req.query('receipt')
  const mailed = c.req.query('mailed') === 'yes' ? 'was issued and emailed' : 'was issued'
  const paid = record.payments.filter(({ receiptNumber }) => receiptNumber === done)
  if (paid.length > 0) {
    const total = sumMoney(
      paid.map(({ amount }) => amount),
      place.at.event.currency,
    )
    return (
      <Notice tone="success">
        <p>
          <strong>{formatAmountWithCurrency(total)} recorded.</strong> Receipt {document(done!)} {mailed}.
        </p>
        <p>
          Wrong entry? <a href={`${place.here}?act=reversal&payment=${paid.at(-1)!.id}`}>Reverse this payment</a>
        </p>
      </Notice>
    )
  }
  const moved = movements.find(({ receiptNumber }) => receiptNumber !== null && receiptNumber === done)
  if (moved)
    return (
      <Notice tone="success">
        <p>
          <strong>
            {formatAmountWithCurrency(moved.amount)} {moved.kind === 'refund' ? 'refunded' : 'reversed'}.
          </strong>{' '}
          Receipt {document(done!)} {mailed}.
        </p>
      </Notice>
    )
  const note = record.invoices.find(({ number, kind }) => kind === 'credit_note' && number === c.req.query('note'))
  if (note)
    return (
      <Notice tone="success">
        <p>
          <strong>{formatAmountWithCurrency(note.total)} credited.</strong> Credit note {document(note.number)} was issued.
        </p>
      </Notice>
    )
  return null
}

/** Returns the path to redirect to after a money action was saved, with the number of the receipt or credit note. */
function pathAfter(act: MoneyAction, here: string, result: unknown): string {
  if (act === 'write-off') return `${here}?done=written-off`
  if (act === 'credit') {
    const { creditNote } = (result as EditParticipantMoneyResult).money
    return creditNote ? `${here}?note=${encodeURIComponent(creditNote.number)}` : `${here}?done=saved`
  }
  const { receiptNumber, queued } = result as PaymentResult
  return `${here}?receipt=${encodeURIComponent(receiptNumber)}${queued ? '&mailed=yes' : ''}`
}

/** Handles the form of a money action: checks it, saves it, or shows it again with its errors. */
async function submitAct(web: WebServices, c: WebContext, place: OrderPlace, form: FormValues) {
  const { at, order, name } = place
  const act = findAct(form['act'])
  if (!act || !order) return sendOrderPage(web, c, place, { act: null, state: NO_STATE })
  const again = (formErrors: FormErrors | null, checked: MoneyActionFormState['checked'] = null) =>
    sendOrderPage(web, c, place, { act, state: { form, formErrors, checked } })
  const account = await readOrderMoneyPageData(at, order, name)
  const read = await readMoneyActionForm(at, act, form, account)
  // A form that is submitted twice gets the first response again, although its values are no longer valid for the order.
  const args = 'args' in read ? read.args : null
  const call = await runFormToolCall<unknown>(web, at, { tool: TOOL_BY_MONEY_ACTION[act], args, form, fields: listActionFieldNames(act) })
  if ('done' in call) return c.redirect(pathAfter(act, place.here, call.done), 303)
  if ('refused' in call) return again(explainMoneyActionRefusal(act, call.refused, account))
  if ('unread' in call) return again({ message: MONEY_ACTION_REFUSAL_MESSAGES[act], errors: 'errors' in read ? read.errors : [] })
  const { result, hidden, isStale } = call.checked
  return again(null, { shown: describeMoneyActionEffects(act, result, args!, account, form), hidden, isStale })
}

/** Reads the action that a link opens, and the field values with which the link prefills the form. */
function readAsked(c: WebContext): { act: MoneyAction | null; state: MoneyActionFormState } {
  const act = findAct(c.req.query('act'))
  const payment = c.req.query('payment')
  const form = act === 'reversal' && payment ? { [getActionFieldName('reversal', 'payment')]: payment } : {}
  return { act, state: { ...NO_STATE, form } }
}

const ORDER_PATH = `${CONSOLE_EVENT_PATH}/money/orders/:order`

/** `…/participants/<id>/money` and `…/money/orders/<number>`: payments, refunds, credits and write-offs of one order. */
export function orderMoneyPages(web: WebServices) {
  async function ofParticipant(c: WebContext): Promise<OrderPlace> {
    const at: ParticipantPageContext = await getParticipantPageContext(web, c, 'registration.read')
    const details = await getParticipantDetails(at.reading, { participantId: at.row.id, include: ['orders'], includeTestData: true })
    return {
      at,
      order: await findOrder(at.reading, { participantId: at.row.id }),
      name: at.name,
      here: `${at.here}/money`,
      entry: 'participants',
      title: `Money of ${at.name}`,
      isPaidByOthers: (details.orders ?? []).length > 0,
      head: (account) => (
        <>
          <ParticipantHeading
            at={at}
            participant={details.participant}
            tab="money"
            badge={account ? <BalanceBadge account={account} /> : null}
          />
          <OrdersPaidByOthers at={at} details={details} />
        </>
      ),
    }
  }
  async function byNumber(c: WebContext): Promise<OrderPlace> {
    const at = await getEventPageContext(web, c, 'registration.read')
    const order = await getOrderByNumber(at.reading, c.req.param('order') ?? '')
    const payer = await getOrderPayer(at.reading, order.id)
    const group = order.group_id === null ? null : ((await findGroup(at.reading, order.group_id)) ?? null)
    return {
      at,
      order,
      name: payer.name,
      here: `${at.base}/money/orders/${encodeURIComponent(order.number)}`,
      entry: 'money',
      title: `Order ${order.number}`,
      head: (account) => <OrderHeading at={at} order={order} name={payer.name} account={account} group={group} />,
    }
  }
  const post = async (c: WebContext, placeOf: (c: WebContext) => Promise<OrderPlace>) => {
    const form = await requireConsoleForm(web, c)
    const place = await placeOf(c)
    requirePermission(place.at.event.name, place.at.permissions, 'money.write')
    return submitAct(web, c, place, form)
  }
  return createConsoleRouter(web)
    .get(`${CONSOLE_PARTICIPANT_PATH}/money`, async (c) => sendOrderPage(web, c, await ofParticipant(c), readAsked(c)))
    .post(`${CONSOLE_PARTICIPANT_PATH}/money`, (c) => post(c, ofParticipant))
    .get(ORDER_PATH, async (c) => sendOrderPage(web, c, await byNumber(c), readAsked(c)))
    .post(ORDER_PATH, (c) => post(c, byNumber))
}

const OrderHeading = ({
  at,
  order,
  name,
  account,
  group,
}: {
  at: EventPageContext
  order: OrderRow
  name: string
  account: OrderMoneyPageData | null
  /** The group that pays for the order. */
  group: { code: string } | null
}) => (
  <div class="heading">
    <div>
      <p class="crumbs">
        <a href={`${at.base}/money`}>Money</a>
      </p>
      <div class="title">
        <h1 dir="auto">{name}</h1>
        {account ? <BalanceBadge account={account} /> : null}
        {order.is_test_data ? <StatusLabel tone="warning">test data</StatusLabel> : null}
      </div>
      <p>
        Order {order.number}
        {group ? (
          <>
            {' '}
            of <a href={`${at.base}/groups/${group.code}`}>the group</a>
          </>
        ) : null}
      </p>
    </div>
  </div>
)
