ALTER TABLE "customer_versions" ADD COLUMN "license_version" bigint;--> statement-breakpoint
ALTER TABLE "customer_versions" ADD COLUMN "version_without_licenses" bigint;--> statement-breakpoint
GRANT UPDATE (license_version, version_without_licenses) ON customer_versions TO console_app;
