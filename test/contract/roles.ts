import { verifyOrganizer } from '../../src/domains/access/verify-organizer.ts'
import { permissionsAnywhere, type Role } from '../../src/kernel/permissions.ts'
import { type Tool, toolset } from '../../src/kernel/tool.ts'
import { toolsetViews } from '../../src/surfaces/mcp/views.ts'
import { type OrganizerHandle, RESOURCE } from '../support/world.ts'
import { codesFor, type Stage } from './stage.ts'

/** As the organizer endpoint does it for a request. */
export async function listedFor({ world }: Stage, person: OrganizerHandle, tools: readonly Tool[]): Promise<Set<string>> {
  const organizer = await verifyOrganizer(world.database.pool, person.token, RESOURCE)
  const view = toolsetViews([toolset('all', tools)])(null, permissionsAnywhere(organizer!.access))
  return new Set(view.list.map(({ name }) => name))
}

/** Listed is what can be called and nothing else; what cannot be called says so in the specified sentence. */
export async function problemsOfRole(
  stage: Stage,
  { role, person }: { role: Role; person: OrganizerHandle },
  tools: readonly Tool[],
  listed: ReadonlySet<string>,
): Promise<string[]> {
  const problems: string[] = []
  for (const tool of tools) {
    const { isError, content, _meta } = await person.answer(tool.name, codesFor(tool, stage))
    const text = content[0]!.text!
    const forbidden = isError && _meta!['lanyard/error'].code === 'forbidden'
    if (forbidden && !tool.permissions.some((one) => text === `Forbidden — ${tool.name} requires the ${one} permission`)) {
      problems.push(`${tool.name} refuses ${role} in other words: ${text}`)
    }
    if (forbidden && listed.has(tool.name)) problems.push(`${tool.name} is listed for ${role} and refuses`)
    if (!forbidden && !listed.has(tool.name)) problems.push(`${tool.name} is not listed for ${role} and answers`)
  }
  return problems
}
