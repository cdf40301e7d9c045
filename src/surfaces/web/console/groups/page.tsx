import { renderInvoicePdf } from '../../../../domains/orders/invoice-pdf.ts'
import { findOrderInvoice } from '../../../../domains/orders/named-invoices.ts'
import { findOrder } from '../../../../domains/orders/orders.ts'
import { toOrderRecord } from '../../../../domains/orders/order-record.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { SegmentedBar, formatInteger } from '../../components/figures.tsx'
import { Button, Checkbox, findFieldError, Form, LinkButton, TextArea } from '../../components/forms.tsx'
import { ListCard } from '../../components/list-page.tsx'
import { ExpandableAction, ActionsCard, NumberTile, NumberTileRow } from '../../components/outcome.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { Card, StatusLabel, TimestampText } from '../../components/parts.tsx'
import type { FormErrors } from '../../fields.ts'
import { sendDocumentFile } from '../../registration/documents.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import { formatAmountWithCurrency, isZeroMoney } from '../money/amounts.ts'
import { createConsoleRouter, requirePermission, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { BillCard } from './bill.tsx'
import { type GroupPageContext, getGroupPageContext, CONSOLE_GROUP_PATH, GROUP_KIND_LABELS, readGroupSeats } from './group-page.ts'
import { type RosterRow, buildRosterColumns } from './roster.tsx'

const Heading = ({ at }: { at: GroupPageContext }) => {
  const { group, bill } = at
  const email = group.billTo.email ?? at.details.admins[0]?.email
  return (
    <div class="heading">
      <div>
        <p class="crumbs">
          <a href={`${at.base}/groups`}>Groups</a>
        </p>
        <div class="title">
          <h1 dir="auto">{group.name}</h1>
          <StatusLabel tone={group.status === 'open' ? 'success' : undefined}>
            {group.status === 'open' ? 'Open to new members' : 'Closed'}
          </StatusLabel>
          {bill && bill.daysOverdue > 0 ? (
            <StatusLabel tone="danger">{`${formatAmountWithCurrency(bill.overdue)} overdue`}</StatusLabel>
          ) : null}
        </div>
        <ul class="meta">
          <li>{`${GROUP_KIND_LABELS[group.kind]} · ${group.payBy === 'group' ? 'the group pays' : 'each member pays'}`}</li>
          {email ? (
            <li>
              <span>
                Billing: <a href={`mailto:${email}`}>{email}</a>
              </span>
            </li>
          ) : null}
        </ul>
      </div>
      {at.mayWrite ? (
        <div class="row">
          <LinkButton href={`${at.here}/edit`}>Edit group</LinkButton>
          {group.status === 'open' ? (
            <LinkButton href="#invite" tone="primary">
              Invite people
            </LinkButton>
          ) : null}
        </div>
      ) : null}
    </div>
  )
}

const Figures = ({ at: { base, group, bill } }: { at: GroupPageContext }) => {
  const { seats } = readGroupSeats(group)
  return (
    <NumberTileRow>
      <NumberTile
        title="Members"
        number={formatInteger(group.memberCount)}
        note={[
          ...(seats === null ? [] : [`of ${formatInteger(seats)} seats`]),
          ...(group.invitesOpen > 0 ? [`${formatInteger(group.invitesOpen)} invited`] : []),
        ].join(', ')}
        bar={seats === null ? null : <SegmentedBar whole={seats} parts={[{ size: group.memberCount, tone: 1 }]} />}
      />
      <NumberTile
        title="Bill"
        number={bill ? formatAmountWithCurrency(bill.total) : '–'}
        note={
          bill ? (
            <>
              on <a href={`${base}/money/orders/${encodeURIComponent(bill.orderNumber)}`}>order {bill.orderNumber}</a>
            </>
          ) : group.payBy === 'group' ? (
            'nothing billed yet'
          ) : (
            'each member has an own order'
          )
        }
        more={bill ? `${formatAmountWithCurrency(bill.paid)} paid` : null}
      />
      <NumberTile
        title="Still to pay"
        number={isZeroMoney(group.balance) ? 'Nothing' : formatAmountWithCurrency(group.balance)}
        note={bill && bill.daysOverdue > 0 ? `${formatInteger(bill.daysOverdue)} days overdue` : null}
        more={
          Number(group.membersBalance.amount) === 0
            ? null
            : `${formatAmountWithCurrency(group.groupBalance)} of the group, ${formatAmountWithCurrency(group.membersBalance)} of members`
        }
      />
    </NumberTileRow>
  )
}

interface GroupFormProps {
  at: GroupPageContext
  csrf: string
  form: FormValues
  formErrors: FormErrors | null
}

const InviteForm = ({ at, csrf, form, formErrors }: GroupFormProps) => (
  <Form action={`${at.here}/invites`} csrf={csrf} class="stack">
    <TextArea
      name="emails"
      label="Email addresses"
      rows={3}
      value={form['emails']}
      help="One per line."
      error={findFieldError(formErrors?.errors, 'emails')}
    />
    <div class="actions">
      <Button tone="primary">Review invitations</Button>
    </div>
  </Form>
)

const AddForm = ({ at, csrf, form, formErrors }: GroupFormProps) => (
  <Form action={`${at.here}/members`} csrf={csrf} class="stack">
    <input type="hidden" name="action" value="add" />
    <TextArea
      name="people"
      label="Registered people"
      rows={3}
      value={form['people']}
      help="Email address or confirmation number, one per line."
      error={findFieldError(formErrors?.errors, 'people')}
    />
    {at.group.payBy === 'group' ? (
      <Checkbox
        name="moveOrders"
        label="Move unpaid orders to the group’s bill"
        help="Without this, people pay what they have already ordered themselves."
        checked={form['moveOrders'] === 'on'}
      />
    ) : null}
    <Checkbox name="overrideMax" label="Add more seats if the group is full" checked={form['overrideMax'] === 'on'} />
    <div class="actions">
      <Button tone="primary">Review</Button>
    </div>
  </Form>
)

/** Renders the group's page, after a rejected form with its values and errors. */
export async function sendGroupPage(
  web: WebServices,
  c: WebContext,
  at: GroupPageContext,
  { form = {}, formErrors = null }: { form?: FormValues; formErrors?: FormErrors | null } = {},
) {
  const { group, details } = at
  const csrf = getCsrfToken(web, c)
  const order = await findOrder(at.reading, { groupId: group.id })
  const invites = details.invites.filter(({ status }) => status !== 'accepted' && status !== 'revoked')
  const isFirst = !c.req.query('cursor')
  const rows: RosterRow[] = [...details.members.map((member) => ({ member })), ...(isFirst ? invites.map((invite) => ({ invite })) : [])]
  const { seats, free, text: seatsText } = readGroupSeats(group)
  const page = renderContentPage(
    { title: group.name, head: <Heading at={at} />, formErrors },
    <>
      <Figures at={at} />
      <div class="grid wide-left">
        <div class="grid">
          <ListCard
            title="Members and invitations"
            actions={<span class="muted">{`${seatsText}${seats === null ? '' : ' seats'}`}</span>}
            caption="Members and invitations"
            columns={buildRosterColumns(at, csrf)}
            rows={rows}
            empty="No members yet. Invite people, or add people who are already registered."
            pages={{
              next: details.nextCursor ? `${at.here}?cursor=${encodeURIComponent(details.nextCursor)}` : null,
              first: isFirst ? null : at.here,
            }}
          />
          {at.mayWrite && group.status === 'open' ? (
            <div id="invite">
              <ActionsCard title="Add people" id="add-people">
                <ExpandableAction
                  title="Send invitations by email"
                  note={free === null ? null : `${formatInteger(free)} free seats`}
                  open={!form['people']}
                >
                  <InviteForm at={at} csrf={csrf} form={form} formErrors={formErrors} />
                </ExpandableAction>
                <ExpandableAction title="Add people who are registered" open={Boolean(form['people'])}>
                  <AddForm at={at} csrf={csrf} form={form} formErrors={formErrors} />
                </ExpandableAction>
              </ActionsCard>
            </div>
          ) : null}
        </div>
        <div class="grid">
          {order ? (
            <BillCard at={at} order={await toOrderRecord(at.reading, order)} />
          ) : (
            <Card title="Bill">
              <p class="muted">
                {group.payBy === 'group'
                  ? 'Nothing is billed yet. The bill starts with the first member who registers.'
                  : 'Each member pays. Open a member to see the order.'}
              </p>
            </Card>
          )}
          <Card title="Admins">
            {details.admins.length > 0 ? (
              <ul class="plain stack">
                {details.admins.map(({ name, email, lastSignInAt }) => (
                  <li>
                    <strong dir="auto">{name}</strong>
                    {name === email ? null : <div>{email}</div>}
                    <div class="muted">
                      {lastSignInAt === null ? (
                        'has never signed in'
                      ) : (
                        <>
                          signed in <TimestampText at={new Date(lastSignInAt)} />
                        </>
                      )}
                    </div>
                  </li>
                ))}
              </ul>
            ) : (
              <p class="muted">No admins. Add one under Edit group.</p>
            )}
          </Card>
        </div>
      </div>
    </>,
  )
  return sendConsolePage(web, c, getNavigationPosition(at, 'groups'), page)
}

/** `…/groups/<code>`: members, invitations and bill of a group, and the invoices of its bill. */
export function groupPages(web: WebServices) {
  return createConsoleRouter(web)
    .get(CONSOLE_GROUP_PATH, async (c) => sendGroupPage(web, c, await getGroupPageContext(web, c, 'registration.read')))
    .get(`${CONSOLE_GROUP_PATH}/invoices/:bill{.+\\.pdf}`, async (c) => {
      const at = await getGroupPageContext(web, c, 'registration.read')
      requirePermission(at.event.name, at.permissions, 'personal.read')
      const order = await findOrder(at.reading, { groupId: at.group.id })
      const found = order && (await findOrderInvoice(at.reading, order.id, c.req.param('bill').replace(/\.pdf$/, '')))
      const pdf = found ? await renderInvoicePdf(at.reading, found.id) : null
      if (!pdf) throw notFound('This group has no such invoice')
      return sendDocumentFile(c, pdf)
    })
}
