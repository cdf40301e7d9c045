import { AppError } from '../../kernel/errors.ts'
import type { DirectoryFactsByConnection } from '../configuration/flow/collected-answers.ts'
import { payInvoiceByTestCard } from '../orders/test-payments.ts'
import { INVITE_CODE_ANSWER_KEY } from '../registration/invitations/use-invite.ts'
import { addParticipant } from '../registration/add.ts'
import { cancelRegistration } from '../registration/edit/cancel.ts'
import { sendCancellationEmail, sendRegistrationStatusEmail } from '../registration/confirmation.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import type { RegistrationContext, EventSnapshot } from '../registration/event-snapshot.ts'
import { submitRegistration, type RegistrationSubmission } from '../registration/submit.ts'
import { joinWaitlist } from '../registration/waitlist/waitlist.ts'
import type { TestParticipant } from './cast.ts'
import {
  listSimulatedDirectoryTags,
  type SimulatedFlowProblem,
  isDirectoryLookupAnswer,
  type SimulatedFlowResult,
  simulateFlowPages,
} from './visit-pages.ts'

interface RegistrationStage {
  snapshot: EventSnapshot
  connections: DirectoryFactsByConnection
  withPayments: boolean
}

/** Registers a test participant with the same functions as real registrations, up to the planned status. */
export async function registerTestParticipant(
  ctx: RegistrationContext,
  stage: RegistrationStage,
  member: TestParticipant,
): Promise<{ id: string } | { problem: SimulatedFlowProblem }> {
  const visit = simulateFlowPages(stage.snapshot, stage.connections, member)
  if (member.status === 'incomplete') return { id: await startRegistration(ctx, stage, member, visit) }
  if (visit.problem) return { problem: visit.problem }
  try {
    return { id: await completeRegistration(ctx, stage, member, visit) }
  } catch (error) {
    // A rejected registration needs no rollback, because `submitRegistration` validates before it writes.
    if (error instanceof AppError) return { problem: toProblem(error, visit) }
    throw error
  }
}

const toProblem = ({ message, details }: AppError, { pages }: SimulatedFlowResult): SimulatedFlowProblem => ({
  page: pages.at(-1)?.code ?? '',
  binding: details.fields?.[0]?.path ?? '',
  message: details.fields?.[0]?.message ?? message,
})

/** Creates an abandoned registration with the answers of the first half of the pages. */
async function startRegistration(
  ctx: RegistrationContext,
  { snapshot }: RegistrationStage,
  { flow, tags }: TestParticipant,
  { after }: SimulatedFlowResult,
): Promise<string> {
  const left = after[Math.ceil(after.length / 2) - 1] ?? {}
  const { participant } = await addParticipant(
    ctx,
    {
      flowSlug: flow.slug,
      data: Object.fromEntries(
        Object.entries(left).filter(([binding]) => !isDirectoryLookupAnswer(binding) && binding !== INVITE_CODE_ANSWER_KEY),
      ),
      tags,
      status: 'incomplete',
      group: null,
      skipRequired: false,
      joinWaitlist: false,
      overrideCapacity: false,
      overrideClosed: true,
      source: 'organizer',
    },
    snapshot,
  )
  return participant.id
}

async function completeRegistration(
  ctx: RegistrationContext,
  { snapshot, connections, withPayments }: RegistrationStage,
  member: TestParticipant,
  visit: SimulatedFlowResult,
): Promise<string> {
  const { flow, tags, status } = member
  const submission: RegistrationSubmission = {
    snapshot,
    flow,
    answers: visit.answers,
    manualTags: tags,
    directoryTags: listSimulatedDirectoryTags(member, visit, connections),
    source: 'organizer',
    participant: null,
    overrideClosed: true,
  }
  if (status === 'waitlisted') {
    const { participant } = await joinWaitlist(ctx, { ...submission, answers: { ...visit.answers }, targets: [`flow:${flow.slug}`] })
    await sendIfAddressed(ctx, participant, sendRegistrationStatusEmail)
    return participant.id
  }
  const { participant, orderId, invoice } = await submitRegistration(ctx, submission)
  if (withPayments && orderId !== null && invoice) await payInvoiceByTestCard(ctx, orderId, invoice, snapshot.at)
  await sendIfAddressed(ctx, participant, sendRegistrationStatusEmail)
  if (status === 'cancelled') {
    await cancelRegistration(ctx, snapshot, await getParticipant(ctx, participant.id), { rule: { by: 'policy' } })
    await sendIfAddressed(ctx, participant, sendCancellationEmail)
  }
  return participant.id
}

/** Sends an email if the test participant has an address. Emails of test data are stored, not sent. */
const sendIfAddressed = (
  ctx: RegistrationContext,
  { id, email }: { id: string; email: string | null },
  send: (ctx: RegistrationContext, id: string) => Promise<unknown>,
) => (email === null ? Promise.resolve(null) : send(ctx, id))
