/** Answers whether requests can be served, and if not, why. */
export interface Readiness {
  failing: () => Promise<string[]>
  /** Set while starting and while shutting down. */
  hold: (reason: 'starting' | 'draining' | null) => void
}

const PATIENCE_MS = 2000

export function readinessOf(checks: Record<string, () => Promise<unknown>>): Readiness {
  let held: string | null = 'starting'
  return {
    hold: (reason) => {
      held = reason
    },
    async failing() {
      if (held) return [held]
      const results = await Promise.all(Object.entries(checks).map(async ([name, check]) => ((await answersInTime(check)) ? null : name)))
      return results.filter((name) => name !== null)
    },
  }
}

async function answersInTime(check: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), PATIENCE_MS)
  })
  try {
    return await Promise.race([check().then(() => true), late])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
