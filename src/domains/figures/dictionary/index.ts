import { MONEY } from './money.ts'
import { PEOPLE } from './people.ts'
import type { Entity } from './types.ts'

/** Every entity that can be queried, by name. */
export const ENTITIES: ReadonlyMap<string, Entity> = new Map([...PEOPLE, ...MONEY].map((entity) => [entity.name, entity]))
