import { recordChange } from '../../kernel/audit.ts'
import { answersOf, columnsOf } from '../registration/answers.ts'
import { getParticipant, updateParticipant } from '../registration/people.ts'
import { indexOf } from '../configuration/flow/collects.ts'
import type { AtEvent } from '../registration/scene.ts'
import { agreementsOf, keepProgress, type Progress } from './progress.ts'
import type { SentPage } from './sent-page.ts'

/** A text that somebody must agree to and has, in the words of today, stays agreed to; all else they may change. */
export const isSettledPolicy = ({ scene, answers }: Progress, binding: string): boolean =>
  answers[binding] === true && (indexOf(scene.config).policies.get(binding.slice('@policy.'.length))?.required ?? true)

/** Writes down what somebody agrees to now, or not any more. */
export async function changeOwnPolicies(ctx: AtEvent, before: Progress, { answers, agreed }: Pick<SentPage, 'answers' | 'agreed'>) {
  const said = Object.entries(answers).filter(
    ([binding, value]) =>
      binding.startsWith('@policy.') && !isSettledPolicy(before, binding) && value !== (before.answers[binding] ?? false),
  )
  if (said.length === 0) return
  const row = await getParticipant(ctx, before.row.id)
  const stored = answersOf(row)
  const updated = await updateParticipant(ctx, row, columnsOf({ ...stored, ...Object.fromEntries(said) }))
  const policies = { ...before.kept.policies, ...agreementsOf(before.scene, agreed) }
  await keepProgress(ctx, row, { policies: JSON.stringify(policies) })
  recordChange(ctx, { kind: 'participant', id: row.id, before: stored, after: answersOf(updated) })
}
