#!/usr/bin/env node
import { keepCompiled } from './keep-compiled.ts'

await keepCompiled()
const { runCommand } = await import('./command-line.ts')
await runCommand(process.argv.slice(2))
