import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, load

required_conan_version = ">=2.30"  # for the cmake_extra properties


class AllographConan(ConanFile):
    name = "allograph"
    description = "Header-only C++20 library for CUDA graphs that own memory"
    license = "Apache-2.0"
    topics = ("cuda", "cuda-graphs", "gpu", "memory", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = "include/*", "LICENSE"
    no_copy_source = True

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "include", "allograph", "version.hpp"))
        self.version = ".".join(re.findall(r"#define ALLOGRAPH_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "*.hpp", os.path.join(self.source_folder, "include"), os.path.join(self.package_folder, "include"))

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "allograph")
        self.cpp_info.set_property("cmake_target_name", "allograph::allograph")
        # The toolkit is the consumer's own.
        self.cpp_info.set_property("cmake_extra_dependencies", ["CUDAToolkit"])
        self.cpp_info.set_property("cmake_extra_interface_libs", ["CUDA::cuda_driver"])
