import type { EventContext } from '../../../../kernel/context.ts'
import { getParticipants } from '../../../../domains/registration/participant-rows.ts'
import { formatParticipantName } from '../../../../domains/registration/participant-shape.ts'
import { computeOfferDeadline } from '../../../../domains/registration/promotion/charge.ts'
import { runWaitlistPromotion } from '../../../../domains/registration/promotion/run.ts'
import type { WaitlistPromotionResults } from '../../../../domains/registration/promotion/results.ts'
import { count, list, object, oneOf, text, id, code } from '../../../../kernel/args.ts'
import { hashCanonicalJson } from '../../../../kernel/canonical.ts'
import { getDatabaseTime } from '../../../../kernel/database-time.ts'
import { validateFormFields, type FieldLabelLookup } from '../../fields.ts'
import type { FormValues } from '../../form-values.ts'
import { issueConfirmToken } from '../confirmation.ts'

export const WAITLIST_ACTIONS = ['promote', 'accept', 'withdraw', 'remove'] as const
export const WAITLIST_OFFER_HOURS = [24, 48, 72, 168] as const

/** The arguments of `promote_waitlist_entries` that the page sends. */
const Request = object({
  action: oneOf(WAITLIST_ACTIONS).default('promote'),
  entryIds: list(id(), 1).optional(),
  target: text(80),
  count: count(1, 1000).optional(),
  priorityTags: list(code(), 1).default([]),
  charge: oneOf(['offer', 'savedCard']).default('offer'),
  offerHours: count(1, 336).default(48),
})

export interface WaitlistActionRequest {
  action: (typeof WAITLIST_ACTIONS)[number]
  entryIds?: string[] | undefined
  target: string
  count?: number | undefined
  priorityTags: string[]
  charge: 'offer' | 'savedCard'
  offerHours: number
}

const LABELS: Record<string, string> = { count: 'How many', offerHours: 'Time to answer', priorityTags: 'Who goes first' }
export const getWaitlistFieldLabel: FieldLabelLookup = (path) => LABELS[path] ?? ''

/** Reads a submitted waiting list form, which is about one entry or about the first entries of the list. */
export const readWaitlistActionForm = (form: FormValues) =>
  validateFormFields(
    Request,
    {
      action: form['action'],
      target: form['target'],
      ...(form['entryId'] ? { entryIds: [form['entryId']] } : { count: Number(form['count']) || form['count'] }),
      priorityTags: form['first'] ? [form['first']] : [],
      charge: form['charge'],
      offerHours: form['offerHours'] ? Number(form['offerHours']) : undefined,
    },
    getWaitlistFieldLabel,
  )

/** Returns the action and the hash of the request that the confirm token of a dry run is valid for. */
export const toConfirmableWaitlistAction = (request: WaitlistActionRequest) => ({
  action: 'promote_waitlist_entries',
  of: hashCanonicalJson(request).toString('base64url'),
})

export interface WaitlistDryRun {
  outcome: WaitlistPromotionResults
  names: ReadonlyMap<string, string>
  emails: number
  /** The time at which offers that are made now would expire. */
  until: Date
  confirmToken: string
}

export const runWaitlistAction = (
  ctx: EventContext,
  { target, entryIds, count: most, ...request }: WaitlistActionRequest,
): Promise<WaitlistPromotionResults> =>
  runWaitlistPromotion(ctx, {
    ...request,
    ...(entryIds ? { entryIds } : { target, count: most ?? 1 }),
    onDecline: 'offer',
    overrideCapacity: false,
  })

/** Makes the change inside a transaction that is rolled back, and issues the token that confirms exactly its effects. */
export async function previewWaitlistAction(ctx: EventContext, request: WaitlistActionRequest): Promise<WaitlistDryRun> {
  const outcome = await runWaitlistAction(ctx, request)
  const people = await getParticipants(ctx, [...new Set(outcome.results.map(({ participantId }) => participantId))])
  return {
    outcome,
    names: new Map(people.map((row) => [row.id, formatParticipantName(row) || row.email || 'No name yet'])),
    emails: ctx.effects.counts().recipients,
    until: computeOfferDeadline(await getDatabaseTime(ctx), request.offerHours),
    confirmToken: await issueConfirmToken(ctx, toConfirmableWaitlistAction(request)),
  }
}
