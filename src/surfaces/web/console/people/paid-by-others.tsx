import type { getParticipantDetails } from '../../../../domains/registration/find/get-participant.ts'
import { ListCard } from '../../components/list-page.tsx'
import { formatAmountWithoutCurrency } from '../money/amounts.ts'
import type { EventPageContext } from '../event/event-page.ts'

type Details = Pick<Awaited<ReturnType<typeof getParticipantDetails>>, 'orders' | 'group' | 'host'>

/** The products that a group, company or host has ordered for a participant, one card for each order. */
export const OrdersPaidByOthers = ({ at, details: { orders = [], group, host } }: { at: EventPageContext; details: Details }) => {
  const payerOf = (owner: (typeof orders)[number]['owner']) =>
    owner === 'group' ? (group?.name ?? 'the group') : owner === 'company' ? 'a company' : (host?.name ?? 'another participant')
  return (
    <>
      {orders.map(({ number, owner, lines }) => (
        <ListCard
          title={`Booked on the account of ${payerOf(owner)}`}
          actions={
            <a class="nowrap" href={`${at.base}/money/orders/${encodeURIComponent(number)}`}>
              Order {number}
            </a>
          }
          caption={`Products on order ${number}`}
          rows={lines}
          columns={[
            { label: 'Item', lead: true, cell: ({ description }) => <bdi>{description}</bdi> },
            { label: 'Quantity', number: true, cell: ({ quantity }) => quantity },
            { label: `Total, ${at.event.currency}`, number: true, cell: ({ total }) => formatAmountWithoutCurrency(total) },
          ]}
        />
      ))}
    </>
  )
}
