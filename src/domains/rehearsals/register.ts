import { AppError } from '../../kernel/errors.ts'
import type { Connections } from '../configuration/flow/collects.ts'
import { payByTestCard } from '../orders/test-payments.ts'
import { addParticipant } from '../registration/add.ts'
import { cancelRegistration } from '../registration/cancel.ts'
import { sendCancellation, sendConfirmation } from '../registration/confirmation.ts'
import { getParticipant } from '../registration/people.ts'
import type { AtEvent, Scene } from '../registration/scene.ts'
import { submit, type Submission } from '../registration/submit.ts'
import { joinWaitlist } from '../registration/waitlist.ts'
import type { CastMember } from './cast.ts'
import { directoryTagsOf, type Fault, isOutcome, type Visit, visitPages } from './pages.ts'

interface Stage {
  scene: Scene
  connections: Connections
  withPayments: boolean
}

/** Registers somebody made up, by the functions that register everybody, up to the state that they are to be in. */
export async function registerMember(ctx: AtEvent, stage: Stage, member: CastMember): Promise<{ id: string } | { fault: Fault }> {
  const visit = visitPages(stage.scene, stage.connections, member)
  if (member.status === 'incomplete') return { id: await begin(ctx, stage, member, visit) }
  if (visit.fault) return { fault: visit.fault }
  try {
    return { id: await finish(ctx, stage, member, visit) }
  } catch (error) {
    // What cannot be submitted is refused before anything of it is written.
    if (error instanceof AppError) return { fault: faultOf(error, visit) }
    throw error
  }
}

const faultOf = ({ message, details }: AppError, { pages }: Visit): Fault => ({
  page: pages.at(-1)?.code ?? '',
  binding: details.fields?.[0]?.path ?? '',
  message: details.fields?.[0]?.message ?? message,
})

/** Somebody who left after the first half of the pages. */
async function begin(ctx: AtEvent, { scene }: Stage, { flow, tags }: CastMember, { after }: Visit): Promise<string> {
  const left = after[Math.ceil(after.length / 2) - 1] ?? {}
  const { participant } = await addParticipant(
    ctx,
    {
      flowSlug: flow.slug,
      data: Object.fromEntries(Object.entries(left).filter(([binding]) => !isOutcome(binding))),
      tags,
      status: 'incomplete',
      group: null,
      skipRequired: false,
      joinWaitlist: false,
      overrideCapacity: false,
      overrideClosed: true,
      source: 'organizer',
    },
    scene,
  )
  return participant.id
}

async function finish(ctx: AtEvent, { scene, connections, withPayments }: Stage, member: CastMember, visit: Visit): Promise<string> {
  const { flow, tags, status } = member
  const submission: Submission = {
    scene,
    flow,
    answers: visit.answers,
    manualTags: tags,
    directoryTags: directoryTagsOf(member, visit, connections),
    source: 'organizer',
    participant: null,
    overrideClosed: true,
  }
  if (status === 'waitlisted') {
    const { participant } = await joinWaitlist(ctx, { ...submission, answers: { ...visit.answers }, targets: [`flow:${flow.slug}`] })
    await write(ctx, participant, sendConfirmation)
    return participant.id
  }
  const { participant, orderId, invoice } = await submit(ctx, submission)
  if (withPayments && orderId !== null && invoice) await payByTestCard(ctx, orderId, invoice, scene.at)
  await write(ctx, participant, sendConfirmation)
  if (status === 'cancelled') {
    await cancelRegistration(ctx, scene, await getParticipant(ctx, participant.id), { rule: { by: 'policy' } })
    await write(ctx, participant, sendCancellation)
  }
  return participant.id
}

/** Mails of test data are written and kept; who was asked for no address gets none. */
const write = (ctx: AtEvent, { id, email }: { id: string; email: string | null }, send: (ctx: AtEvent, id: string) => Promise<unknown>) =>
  email === null ? Promise.resolve(null) : send(ctx, id)
