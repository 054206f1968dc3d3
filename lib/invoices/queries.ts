import { type Call, callOf } from '#lib/api/client.ts'
import * as contract from './contract.ts'

export const listInvoices: Call<typeof contract.listInvoices> = callOf(contract.listInvoices)
export const summarizeInvoices: Call<typeof contract.summarizeInvoices> = callOf(contract.summarizeInvoices)
export const readInvoice: Call<typeof contract.readInvoice> = callOf(contract.readInvoice)
