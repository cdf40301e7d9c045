import type { HttpBindings } from '@hono/node-server'
import type { Context as HonoContext } from 'hono'
import type { RestAccount } from '../../domains/access/verify-rest-account.ts'

export interface RestEnv {
  Bindings: HttpBindings
  Variables: { account: RestAccount }
}

export type RestContext = HonoContext<RestEnv>
