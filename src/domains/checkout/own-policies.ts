import { recordChange } from '../../kernel/audit.ts'
import { readStoredAnswers, toParticipantAnswerColumns } from '../registration/answers.ts'
import { getParticipant, updateParticipant } from '../registration/participant-rows.ts'
import { indexConfigByCode } from '../configuration/flow/collected-answers.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { toPolicyAcceptances, saveRegistrationProgress, type RegistrationProgress } from './progress.ts'
import type { SubmittedPage } from './sent-page.ts'

/** Whether the policy is required and accepted, so that its acceptance cannot be withdrawn. All other acceptances can be changed. */
export const isPolicyAcceptanceLocked = ({ snapshot, answers }: RegistrationProgress, binding: string): boolean =>
  answers[binding] === true && (indexConfigByCode(snapshot.config).policies.get(binding.slice('@policy.'.length))?.required ?? true)

/** Saves changed policy acceptances. */
export async function changeOwnPolicyAcceptances(
  ctx: RegistrationContext,
  before: RegistrationProgress,
  { answers, agreed }: Pick<SubmittedPage, 'answers' | 'agreed'>,
) {
  const changedPolicies = Object.entries(answers).filter(
    ([binding, value]) =>
      binding.startsWith('@policy.') && !isPolicyAcceptanceLocked(before, binding) && value !== (before.answers[binding] ?? false),
  )
  if (changedPolicies.length === 0) return
  const row = await getParticipant(ctx, before.row.id)
  const stored = readStoredAnswers(row)
  const updated = await updateParticipant(ctx, row, toParticipantAnswerColumns({ ...stored, ...Object.fromEntries(changedPolicies) }))
  const policies = { ...before.stored.policies, ...toPolicyAcceptances(before.snapshot, agreed) }
  await saveRegistrationProgress(ctx, row, { policies: JSON.stringify(policies) })
  recordChange(ctx, { kind: 'participant', id: row.id, before: stored, after: readStoredAnswers(updated) })
}
