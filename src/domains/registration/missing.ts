import type { FieldError } from '../../kernel/errors.ts'
import { dataFieldsOf, HOUSING_FIELDS } from '../configuration/data-fields.ts'
import type { Missing, Walk } from '../configuration/flow/walk.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'

/** What people call the answer behind a binding. */
export function labelOf(config: EventConfig, binding: string): string {
  const [entity, code = ''] = binding.slice(1).split('.')
  const named =
    entity === 'product'
      ? config.products.find((product) => product.code === code)?.name
      : entity === 'policy'
        ? config.policies.find((policy) => policy.code === code)?.title
        : [...dataFieldsOf(config), ...HOUSING_FIELDS].find((field) => field.binding === binding)?.label
  return named ?? binding
}

/** Presence may be set aside by organizers; what a chosen product needs may not. */
export const missingFields = (config: EventConfig, walk: Walk, { skipRequired }: { skipRequired: boolean }): FieldError[] =>
  walk.missing
    .filter(({ why }) => !skipRequired || why === 'neededByProduct')
    .map((missing) => ({ path: missing.binding, message: says(config, missing) }))

function says(config: EventConfig, { binding, why, oneOf }: Missing): string {
  if (why === 'neededByProduct') return `${labelOf(config, binding)} is needed by what was chosen`
  if (why === 'lookupFailed') return 'the lookup did not find this person'
  if (why === 'tooFew') return oneOf && oneOf.length > 0 ? `choose from ${oneOf.slice(0, 10).join(', ')}` : 'choose more'
  return `${labelOf(config, binding)} is required`
}
