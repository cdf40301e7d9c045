/** Reports whether requests can be served, and if not, which checks fail. */
export interface ReadinessProbe {
  failing: () => Promise<string[]>
  /** Reports "not ready" with this reason during startup and shutdown, whatever the checks return. Null lets the checks decide again. */
  hold: (reason: 'starting' | 'draining' | null) => void
}

const CHECK_TIMEOUT_MS = 2000

export function createReadinessProbe(checks: Record<string, () => Promise<unknown>>): ReadinessProbe {
  let held: string | null = 'starting'
  return {
    hold: (reason) => {
      held = reason
    },
    async failing() {
      if (held) return [held]
      const results = await Promise.all(Object.entries(checks).map(async ([name, check]) => ((await passesInTime(check)) ? null : name)))
      return results.filter((name) => name !== null)
    },
  }
}

async function passesInTime(check: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_TIMEOUT_MS)
  })
  try {
    return await Promise.race([check().then(() => true), late])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
