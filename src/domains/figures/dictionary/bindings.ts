import type { QueryEntity } from './types.ts'

/** Paths in the data dictionary, by binding (identifier of a question), where the path differs from the binding. */
const RENAMED: ReadonlyMap<string, string> = new Map([['flow.slug', 'flowSlug']])

/**
 * Converts a binding such as `@participant.city` or `@custom.diet` to a path from an entity. Bindings name fields of the participant: from
 * another entity they lead over its relation to the participant. Other paths are returned unchanged.
 */
export function convertBindingToFieldPath(written: string, root: QueryEntity): string {
  if (!written.startsWith('@')) return written
  const binding = written.slice(1)
  const ofParticipant = RENAMED.get(binding) ?? binding.replace(/^participant\./, '')
  if (root.name === 'participant') return ofParticipant
  return root.relations['participant']?.many === false ? `participant.${ofParticipant}` : binding
}
