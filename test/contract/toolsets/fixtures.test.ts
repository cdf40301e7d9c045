import { contractOf } from '../contract.ts'

contractOf('fixtures')
