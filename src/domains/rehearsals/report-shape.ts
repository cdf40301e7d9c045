/**
 * The options of a rehearsal (a simulated run of a registration flow with generated test participants), including those that were set by
 * default.
 */
export interface RehearsalOptions {
  maxPeople: number
  negative: boolean
  locales: readonly string[]
  /** The simulated current time of the rehearsal, which decides prices and whether flows are open. */
  asOf: string
  keepTestData: boolean
  /** Whether real member directories are queried about test participants. */
  withDirectory?: 'stub' | 'live'
}

export interface RehearsalFinding {
  code: string
  level: 'error' | 'warning'
  path: string
  personIndex: number | null
  message: string
  evidence: string
}

/** The stored result of one test participant. */
export interface TestParticipantResult {
  goal: string
  tags: string[]
  answers: Readonly<Record<string, unknown>>
  pages: string[]
  findings: RehearsalFinding[]
  /** Indexes of the goals (outcomes of the flow to be tested) that this test participant reached. */
  reached: number[]
  widgets: string[]
  email: { code: string; missingTokens: string[] } | null
}

interface Share {
  reached: number
  total: number
}

export interface RehearsalReportData {
  coverage: {
    branches: number
    reached: number
    unreached: { path: string; outcome: string; reason: string }[]
    pages: Share
    widgets: Share
    products: Share
    priceRows: Share
    emails: number
  }
  outcomes: { completed: number; blocked: number; waitlisted: number; failed: number }
  findings: RehearsalFinding[]
  negative: { tried: number; refused: number; wronglyAccepted: { path: string; fault: string }[] }
  totals: { orders: number; amount: number }
  emails: { code: string; rendered: number; missingTokens: string[] }[]
  timings: { p50Ms: number; p95Ms: number }
}
