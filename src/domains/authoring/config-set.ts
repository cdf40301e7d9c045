import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { inTurns } from '../../kernel/turns.ts'
import { type Issue, sortIssues } from '../configuration/issues.ts'
import { applyInParts, type Operation } from '../configuration/operations.ts'
import { follow, parsePointer } from '../configuration/pointers.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { recordUses } from '../registration/record-uses.ts'
import { editDraft } from './edit.ts'
import { namedBy } from './orphans.ts'
import { fitting } from './told.ts'

interface Request {
  operations: readonly Operation[]
  ifRevision?: number | undefined
  note?: string | undefined
}

/** Edits the draft by a list of operations. */
export async function setConfig(ctx: EventContext, { operations, ifRevision, note }: Request) {
  const applied = { renamedReferences: 0, warnings: [] as Issue[] }
  const edited = await editDraft(ctx, { tool: 'config_set', operations, note, ifRevision }, async ({ document }) => {
    const result = await inTurns(applyInParts(document, operations))
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
    ...fitting(lists, 'validate_schema and diff_versions take a path'),
    renamedReferences: applied.renamedReferences,
  }
}

/** Records keep the code they were made with, so a code in use is retired and never renamed. */
async function refuseRenamesInUse(ctx: EventContext, document: ConfigDocument, operations: readonly Operation[]): Promise<void> {
  const renamed = operations
    .filter(({ op }) => op === 'rename')
    .flatMap(({ path }) => {
      const { place, left } = follow(document, parsePointer(path))
      // An item that an earlier operation of the same call made cannot be in use.
      const named = left.length === 0 ? namedBy(place.path) : null
      return named ? [named] : []
    })
  const uses = await recordUses(ctx, renamed)
  renamed.forEach((named, index) => {
    const { kind, count } = uses[index]!
    if (count > 0) {
      const instead = named.kind === 'customField' ? 'retire it and add a new field' : 'retire it and add a new one'
      throw preconditionFailed(`${count} ${kind} use ${named.code}; ${instead}`)
    }
  })
}
