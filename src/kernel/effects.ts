import { createHash } from 'node:crypto'

/** What cannot be undone, counted while it happens inside the transaction, so that a dry run predicts it exactly. */
export type EffectKind = 'recipients' | 'deletes' | 'charges' | 'changes'

export interface Effects {
  add: (kind: EffectKind, key: string, sample?: Record<string, unknown>) => void
  counts: () => Record<EffectKind, number>
  /** Asks for a confirm token however little is done, and says why. */
  confirmFirst: (why: string) => void
  mustConfirm: () => string | null
  samples: () => Record<string, unknown>[]
  /** Equal when the same things would be touched, in whatever order they were counted. */
  digest: () => string
}

const MAX_SAMPLES = 5

export function countEffects(): Effects {
  const keys: Record<EffectKind, string[]> = { recipients: [], deletes: [], charges: [], changes: [] }
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
    confirmFirst: (sentence) => void (why ??= sentence),
    mustConfirm: () => why,
    samples: () => samples,
    digest() {
      const hash = createHash('sha256')
      for (const kind of Object.keys(keys) as EffectKind[]) hash.update(`${kind}:${keys[kind].toSorted().join('\n')}\0`)
      return hash.digest('base64url')
    },
  }
}
