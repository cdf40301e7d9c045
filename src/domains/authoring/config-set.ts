import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { runTaskCooperatively } from '../../kernel/cooperative.ts'
import { type ConfigIssue, sortIssues } from '../configuration/issues.ts'
import { applyOperationsInParts, type ConfigOperation } from '../configuration/operations.ts'
import { followPointer, parsePointer } from '../configuration/pointers.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { countConfigItemUses } from '../registration/sale/record-uses.ts'
import { editConfigDraft } from './edit.ts'
import { toRecordReference } from './orphans.ts'
import { truncateLists } from './truncate-lists.ts'

interface Request {
  operations: readonly ConfigOperation[]
  ifRevision?: number | undefined
  note?: string | undefined
}

/** Applies a list of operations to the event's draft configuration. */
export async function editConfigByOperations(ctx: EventContext, { operations, ifRevision, note }: Request) {
  const applied = { renamedReferences: 0, warnings: [] as ConfigIssue[] }
  const edited = await editConfigDraft(ctx, { tool: 'config_set', operations, note, ifRevision }, async ({ document }) => {
    const result = await runTaskCooperatively(applyOperationsInParts(document, operations))
    await refuseRenamesInUse(ctx, document, operations)
    applied.renamedReferences = result.renamedReferences
    applied.warnings = result.warnings
    return result.document
  })
  const lists = {
    changed: edited.changes.map(({ path }) => path),
    introduced: sortIssues([...edited.introduced, ...applied.warnings]),
    resolved: edited.resolved,
    issues: sortIssues([...edited.issues, ...applied.warnings]),
  }
  return {
    draftRevision: edited.draftRevision,
    ...truncateLists(lists, 'validate_schema and diff_versions accept a path'),
    renamedReferences: applied.renamedReferences,
  }
}

/**
 * Rejects renames of codes that records (registrations, orders) use, because records store the code. Such an item can be retired but not
 * renamed.
 */
async function refuseRenamesInUse(ctx: EventContext, document: ConfigDocument, operations: readonly ConfigOperation[]): Promise<void> {
  const renamed = operations
    .filter(({ op }) => op === 'rename')
    .flatMap(({ path }) => {
      const { location, left } = followPointer(document, parsePointer(path))
      // An item that an earlier operation of the same call created cannot be in use, so only stored items are checked.
      const named = left.length === 0 ? toRecordReference(location.path) : null
      return named ? [named] : []
    })
  const uses = await countConfigItemUses(ctx, renamed)
  renamed.forEach((named, index) => {
    const { kind, count } = uses[index]!
    if (count > 0) {
      const instead = named.kind === 'customField' ? 'retire it and add a new field' : 'retire it and add a new one'
      throw preconditionFailed(`${count} ${kind} use ${named.code}; ${instead}`)
    }
  })
}
