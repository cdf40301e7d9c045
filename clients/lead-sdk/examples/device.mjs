// Becomes a device at the first start, reads one badge per line, and tells what became of each. Token and scans wait in the file device.json.
// node device.mjs https://events.example.org demo acme summit-2027 XXXX-XXXX-XXXX-XXXX < badges.txt
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { LeadDevice } from '../lib/index.js'

const [baseUrl = 'http://localhost:3000', tenantCode = 'any', clientCode = 'any', eventCode = 'any', activationCode = '0'] =
  process.argv.slice(2)

const FILE = 'device.json'
const kept = (() => {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'))
  } catch {
    return {}
  }
})()
const store = {
  getItem: (key) => kept[key] ?? null,
  setItem(key, value) {
    kept[key] = value
    writeFileSync(FILE, JSON.stringify(kept), { mode: 0o600 })
  },
}

if (store.getItem('token') === null) {
  const codes = { tenantCode, clientCode, eventCode, activationCode }
  const { deviceToken, company } = await LeadDevice.activate({ baseUrl, ...codes, name: 'Example', platform: 'node' })
  store.setItem('token', deviceToken)
  console.log(`a device of ${company.name}`)
}

const SAY = { created: 'a new lead', counted: 'met again', duplicate: 'noted before', unknown_badge: 'nobody wears this badge' }
const device = new LeadDevice({ baseUrl, deviceToken: store.getItem('token'), store })
for await (const badge of createInterface({ input: process.stdin })) {
  if (badge === '') continue
  device.add(badge)
  const { sent, stopped } = await device.flush()
  for (const one of sent) console.log(`${one.scan.badge}: ${'result' in one ? SAY[one.result] : one.error.message}`)
  if (stopped) console.log(`${stopped.message}: ${device.pending.length} waiting`)
}
