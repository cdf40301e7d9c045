import { verifyOrganizer } from '../../src/domains/access/verify-organizer.ts'
import { createPostgresPool } from '../../src/platform/pool.ts'
import { serveRequests } from '../child.ts'

const MAX = 16
const pool = createPostgresPool({ connectionString: process.env['DATABASE_URL']!, max: MAX })

interface Round {
  kind: 'verify' | 'row'
  tokens: string[]
  resource: string
  id: string
  concurrency: number
  seconds: number
}

let next = 0

/** Returns the statements per second on the product's own connection pool. */
async function rate({ kind, tokens, resource, id, concurrency, seconds }: Round): Promise<number> {
  const once =
    kind === 'verify'
      ? async () => {
          if (!(await verifyOrganizer(pool, tokens[next++ % tokens.length]!, resource))) throw new Error('the token opens nothing')
        }
      : () => pool.query('select id, email, name from users where id = $1', [id])
  const started = performance.now()
  const until = started + seconds * 1000
  let done = 0
  const one = async () => {
    for (; performance.now() < until; done++) await once()
  }
  await Promise.all(Array.from({ length: concurrency }, one))
  return done / ((performance.now() - started) / 1000)
}

serveRequests({ rate })
