import civicrm from './presets/civicrm.ts'
import dynamics from './presets/dynamics.ts'
import genericRest from './presets/generic-rest.ts'
import hubspot from './presets/hubspot.ts'
import imis from './presets/imis.ts'
import memberclicks from './presets/memberclicks.ts'
import type { DirectoryPreset } from './presets/preset.ts'
import salesforce from './presets/salesforce.ts'
import uploadedList from './presets/uploaded-list.ts'
import wildapricot from './presets/wildapricot.ts'

export type { DirectoryPreset } from './presets/preset.ts'
export { listAuthCredentials as credentialNamesOf } from './credentials.ts'

export const DIRECTORY_PRESETS: readonly DirectoryPreset[] = [
  imis,
  wildapricot,
  memberclicks,
  salesforce,
  dynamics,
  hubspot,
  civicrm,
  genericRest,
  uploadedList,
]

export const findPreset = (code: string): DirectoryPreset | null => DIRECTORY_PRESETS.find((preset) => preset.code === code) ?? null

/** Returns the settings of a connection, with the defaults of the preset for missing ones. */
export function resolveConnectionSettings({
  preset,
  settings,
}: {
  preset: string
  settings: Readonly<Record<string, string>>
}): Record<string, string> {
  const defaults =
    findPreset(preset)?.settingNames.flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]])) ?? []
  const given = Object.entries(settings).filter(([, value]) => value !== '')
  return { ...(Object.fromEntries(defaults) as Record<string, string>), ...Object.fromEntries(given) }
}
