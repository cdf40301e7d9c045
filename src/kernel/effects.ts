import { createHash } from 'node:crypto'

/** Kinds of effects that cannot be undone. They are counted inside the transaction as they happen, so that a dry run predicts them. */
export type IrreversibleEffectKind = 'recipients' | 'deletes' | 'charges' | 'changes'

export interface IrreversibleEffectCounter {
  add: (kind: IrreversibleEffectKind, key: string, sample?: Record<string, unknown>) => void
  counts: () => Record<IrreversibleEffectKind, number>
  /** Requires a confirm token however few effects were counted, and shows the reason to the caller. */
  requireConfirmation: (why: string) => void
  confirmationReason: () => string | null
  samples: () => Record<string, unknown>[]
  /** A hash of the counted effects: equal if the same effects were counted, in any order. */
  digest: () => string
}

const MAX_SAMPLES = 5

export function createIrreversibleEffectCounter(): IrreversibleEffectCounter {
  const keys: Record<IrreversibleEffectKind, string[]> = { recipients: [], deletes: [], charges: [], changes: [] }
  const samples: Record<string, unknown>[] = []
  let why: string | null = null
  return {
    add(kind, key, sample) {
      keys[kind].push(key)
      if (sample && samples.length < MAX_SAMPLES) samples.push(sample)
    },
    counts: () => ({
      recipients: keys.recipients.length,
      deletes: keys.deletes.length,
      charges: keys.charges.length,
      changes: keys.changes.length,
    }),
    requireConfirmation: (sentence) => void (why ??= sentence),
    confirmationReason: () => why,
    samples: () => samples,
    digest() {
      const hash = createHash('sha256')
      for (const kind of Object.keys(keys) as IrreversibleEffectKind[]) hash.update(`${kind}:${keys[kind].toSorted().join('\n')}\0`)
      return hash.digest('base64url')
    },
  }
}
