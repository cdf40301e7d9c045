import type { Child } from 'hono/jsx'
import type { WaitlistPromotionResult } from '../../../../domains/registration/promotion/results.ts'
import { formatDeadline } from '../../components/dates.ts'
import { formatInteger } from '../../components/figures.tsx'
import { BoldNameList } from '../../components/outcome.tsx'
import { formatAmountWithCurrency } from '../money/amounts.ts'
import type { WaitlistDryRun, WaitlistActionRequest } from './request.ts'

const SKIP_REASONS: Record<string, string> = {
  no_capacity: 'there is no free seat',
  charge_pending: 'their card is being charged',
  offered: 'they already have an offer',
  promoted: 'they already have a seat',
  removed: 'they left the waiting list',
  waiting: 'they have no open offer',
}

type Outcome = WaitlistPromotionResult['outcome']

/** Groups the people for whom a waiting list action has the same result and amount, so that one sentence describes all of them. */
function groupResults(results: readonly WaitlistPromotionResult[], outcome: Outcome) {
  const same = Map.groupBy(
    results.filter((result) => result.outcome === outcome),
    ({ amount, reason }) => `${amount?.amount ?? ''} ${reason ?? ''}`,
  )
  return [...same.values()]
}

/** Describes how many people keep waiting: "1 person keeps waiting". */
const describeWaiting = (waiting: number) =>
  waiting === 0 ? 'No one is left in line.' : waiting === 1 ? '1 person keeps waiting.' : `${formatInteger(waiting)} people keep waiting.`

/** Describes in sentences what a waiting list action changes. */
export function describeWaitlistOutcome(
  { outcome, names, until }: Pick<WaitlistDryRun, 'outcome' | 'names' | 'until'>,
  request: Pick<WaitlistActionRequest, 'action'>,
  { listName, timezone }: { listName: string; timezone: string },
): Child[] {
  const { results } = outcome
  const who = (some: readonly WaitlistPromotionResult[]) => (
    <BoldNameList names={some.map(({ participantId }) => names.get(participantId) ?? participantId)} />
  )
  const price = ({ amount }: WaitlistPromotionResult) => (amount ? formatAmountWithCurrency(amount) : null)
  const sentences: Child[] = []
  for (const some of groupResults(results, 'charge_pending'))
    sentences.push(
      <>
        The saved {some.length === 1 ? 'card' : 'cards'} of {who(some)} {some.length === 1 ? 'is' : 'are'} charged <b>{price(some[0]!)}</b>
        {some.length === 1 ? '' : ' each'} now. If a card is declined, the person gets an offer by email.
      </>,
    )
  for (const some of groupResults(results, 'offered'))
    sentences.push(
      <>
        {who(some)} {some.length === 1 ? 'is' : 'are'} emailed an offer for <bdi>{listName}</bdi>
        {price(some[0]!) ? (
          <>
            {' '}
            at <b>{price(some[0]!)}</b>
          </>
        ) : null}
        .
      </>,
    )
  for (const some of groupResults(results, 'promoted'))
    sentences.push(
      <>
        {who(some)} {some.length === 1 ? 'gets a seat' : 'get seats'} for <bdi>{listName}</bdi> now, without a further step
        {price(some[0]!) ? (
          <>
            , at <b>{price(some[0]!)}</b> {request.action === 'accept' ? 'on an invoice' : 'from credit, the group or the host'}
          </>
        ) : (
          ''
        )}
        .
      </>,
    )
  if (results.some((result) => result.outcome === 'offered'))
    sentences.push(
      <>
        {outcome.offered === 1 ? 'The seat is' : 'The seats are'} held until <b>{formatDeadline(until, timezone)}</b>. No card is charged
        before a person accepts.
      </>,
      'If an offer expires, the person leaves the list and the seat is free again.',
    )
  for (const some of groupResults(results, 'withdrawn'))
    sentences.push(
      <>The offer to {who(some)} is withdrawn, and the seat is free again. No email is sent.</>,
      'The person returns to the same position in line.',
    )
  for (const some of groupResults(results, 'removed'))
    sentences.push(
      <>
        {who(some)} leaves the waiting list for <bdi>{listName}</bdi>, and the position is lost. No email is sent.
      </>,
    )
  for (const some of groupResults(results, 'skipped'))
    sentences.push(
      <>
        {who(some)} {some.length === 1 ? 'is' : 'are'} skipped: {SKIP_REASONS[some[0]!.reason ?? ''] ?? some[0]!.reason}.
      </>,
    )
  if (request.action === 'promote') sentences.push(describeWaiting(outcome.remaining.waiting))
  return sentences
}

/** Whether the waiting list action would change anything. */
export const hasWaitlistEffects = ({ outcome }: Pick<WaitlistDryRun, 'outcome'>): boolean =>
  outcome.results.some(({ outcome: one }) => one !== 'skipped')
