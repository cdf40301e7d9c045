import type { FieldError } from '../../kernel/errors.ts'
import { listDataFields, HOUSING_FIELDS } from '../configuration/data-fields.ts'
import type { MissingAnswer, Walk } from '../configuration/flow/walk.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'

/** The label of the question with this binding, as shown to users. */
export function getBindingLabel(config: EventConfig, binding: string): string {
  const [entity, code = ''] = binding.slice(1).split('.')
  const named =
    entity === 'product'
      ? config.products.find((product) => product.code === code)?.name
      : entity === 'policy'
        ? config.policies.find((policy) => policy.code === code)?.title
        : [...listDataFields(config), ...HOUSING_FIELDS].find((field) => field.binding === binding)?.label
  return named ?? binding
}

/**
 * The required fields without an answer. With `skipRequired`, organizers can skip them, but not the products and fields that a selected
 * product requires.
 */
export const listMissingFields = (config: EventConfig, walk: Walk, { skipRequired }: { skipRequired: boolean }): FieldError[] =>
  walk.missing
    .filter(({ why }) => !skipRequired || why === 'neededByProduct')
    .map((missing) => ({ path: missing.binding, message: missingMessage(config, missing) }))

function missingMessage(config: EventConfig, { binding, why, oneOf }: MissingAnswer): string {
  if (why === 'neededByProduct') return `${getBindingLabel(config, binding)} is required by the selected products`
  if (why === 'lookupFailed') return 'the lookup found no matching record'
  if (why === 'tooFew') return oneOf && oneOf.length > 0 ? `choose from ${oneOf.slice(0, 10).join(', ')}` : 'choose more'
  return `${getBindingLabel(config, binding)} is required`
}
