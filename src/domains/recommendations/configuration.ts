import { type Configuration, readDraft, readInUse } from '../configuration/read.ts'
import type { AtEvent } from '../registration/scene.ts'

/** What people are compared by; before the first publication the draft. */
export const configurationOf = async (ctx: AtEvent): Promise<Configuration> => (await readInUse(ctx)) ?? readDraft(ctx)
