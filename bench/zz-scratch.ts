import { createServer } from 'node:http'
import { startPostgres } from '../scripts/postgres.ts'
import { buildForBench } from './build.ts'
import { openFleet } from './servers.ts'
const postgres = await startPostgres({
  settings: {
    autovacuum: 'on',
    jit: 'on',
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '15',
    'auto_explain.log_analyze': 'on',
  },
})
console.log(postgres.url)
const fleet = await openFleet(buildForBench())
const script = process.argv[2] ?? 'report-queries'
let child = await fleet.start(script, { TEST_DATABASE_URL: postgres.url })
const t = performance.now()
console.log(await child.ask(process.argv[3] ?? 'found'), Math.round(performance.now() - t))
createServer(async (q, r) => {
  let body = ''
  for await (const c of q) body += c
  const [name, arg] = JSON.parse(body)
  const s = performance.now()
  try {
    r.end(JSON.stringify([await child.ask(name, arg), Math.round(performance.now() - s)]) + '\n')
  } catch (e) {
    r.end(String(e) + '\n')
  }
}).listen(Number(process.argv[4] ?? 9777), '127.0.0.1')
