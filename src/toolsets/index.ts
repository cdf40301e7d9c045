import { TOOLSETS, type ToolsetName } from '../kernel/permissions.ts'
import { type Toolset, toolset } from '../kernel/tool.ts'
import clients from './clients/index.ts'
import events from './events/index.ts'
import exhibitors from './exhibitors/index.ts'
import housing from './housing/index.ts'
import onsite from './onsite/index.ts'
import registration from './registration/index.ts'
import reports from './reports/index.ts'
import sessions from './sessions/index.ts'
import sourcing from './sourcing/index.ts'

const built = new Map<ToolsetName, Toolset<ToolsetName>>(
  [clients, events, exhibitors, housing, onsite, registration, reports, sessions, sourcing].map((t) => [t.name, t]),
)

/** The 13 toolsets in the order of `tools/list` and of the documentation. A toolset without tools is listed as empty. */
export const ALL_TOOLSETS: readonly Toolset[] = TOOLSETS.map((name) => built.get(name) ?? toolset(name, []))
