import { describeContract } from '../contract.ts'

describeContract('clients')
