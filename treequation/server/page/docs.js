// The HTTP interface, drawn by Swagger UI from the service's own OpenAPI.

window.SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#interface",
  deepLinking: true,
  validatorUrl: null, // asks no other host what it thinks of the file
  presets: [window.SwaggerUIBundle.presets.apis],
});
