import type { FieldError } from '../../kernel/errors.ts'
import { listParticipantDataFields, HOUSING_FIELDS } from '../configuration/data-fields.ts'
import type { MissingAnswer, FlowEvaluation } from '../configuration/flow/walk.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'

/** Returns the label of the question with this binding, as shown to users. */
export function getQuestionLabel(config: EventConfig, binding: string): string {
  const [entity, code = ''] = binding.slice(1).split('.')
  const named =
    entity === 'product'
      ? config.products.find((product) => product.code === code)?.name
      : entity === 'policy'
        ? config.policies.find((policy) => policy.code === code)?.title
        : [...listParticipantDataFields(config), ...HOUSING_FIELDS].find((field) => field.binding === binding)?.label
  return named ?? binding
}

/**
 * Lists the required fields without an answer. With `skipRequired`, organizers can skip them, but not products and fields that a selected
 * product requires.
 */
export const listMissingFields = (config: EventConfig, walk: FlowEvaluation, { skipRequired }: { skipRequired: boolean }): FieldError[] =>
  walk.missing
    .filter(({ why }) => !skipRequired || why === 'neededByProduct')
    .map((missing) => ({
      path: missing.binding,
      message: missingMessage(config, missing),
      ...(missing.why === 'tooFew'
        ? { reason: { key: isGroup(missing.binding) ? ('error.groupNone' as const) : ('error.choose' as const) } }
        : {}),
    }))

const isGroup = (binding: string) => binding.startsWith('@group.')

function missingMessage(config: EventConfig, { binding, why, oneOf }: MissingAnswer): string {
  if (why === 'neededByProduct') return `${getQuestionLabel(config, binding)} is required by the selected products`
  if (why === 'lookupFailed') return 'the lookup found no matching record'
  if (why === 'tooFew') return tooFewMessage(config, binding, oneOf ?? [])
  return `${getQuestionLabel(config, binding)} is required`
}

/** Returns the message for a question that lacks an answer, or has fewer selected choices than it requires. */
function tooFewMessage(config: EventConfig, binding: string, oneOf: readonly string[]): string {
  if (isGroup(binding)) return `enter ${oneOf.join(' or ')}`
  if (oneOf.length > 0) return `choose from ${oneOf.slice(0, 10).join(', ')}`
  if (binding === '@session.') return 'choose a session'
  const [, guest, property] = /^@guest\.(\d+)\.(\w+)$/.exec(binding) ?? []
  const label =
    guest === undefined ? getQuestionLabel(config, binding) : `${getQuestionLabel(config, `@participant.${property}`)} of guest ${guest}`
  return `${label} is required`
}
