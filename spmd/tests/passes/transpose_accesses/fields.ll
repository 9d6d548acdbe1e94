; cpu: x86-64-v3
; Three words of each lane are loaded, and two others stored; a third is too far away.
declare <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr>, <32 x i1>, <32 x i32>)
declare void @spmd.scatter.32.strided(<32 x i32>, ptr, i64, i32)

define void @warp(ptr %from, i64 %to) {
  %place.0 = getelementptr i8, ptr %from, i64 8
  %places.0 = getelementptr i8, ptr %place.0, <32 x i64> <i64 0, i64 20, i64 40, i64 60, i64 80, i64 100, i64 120, i64 140, i64 160, i64 180, i64 200, i64 220, i64 240, i64 260, i64 280, i64 300, i64 320, i64 340, i64 360, i64 380, i64 400, i64 420, i64 440, i64 460, i64 480, i64 500, i64 520, i64 540, i64 560, i64 580, i64 600, i64 620>
  %word.0 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places.0, <32 x i1> splat (i1 true), <32 x i32> poison)
  %place.1 = getelementptr i8, ptr %from, i64 12
  %places.1 = getelementptr i8, ptr %place.1, <32 x i64> <i64 0, i64 20, i64 40, i64 60, i64 80, i64 100, i64 120, i64 140, i64 160, i64 180, i64 200, i64 220, i64 240, i64 260, i64 280, i64 300, i64 320, i64 340, i64 360, i64 380, i64 400, i64 420, i64 440, i64 460, i64 480, i64 500, i64 520, i64 540, i64 560, i64 580, i64 600, i64 620>
  %word.1 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places.1, <32 x i1> splat (i1 true), <32 x i32> poison)
  %place.2 = getelementptr i8, ptr %from, i64 16
  %places.2 = getelementptr i8, ptr %place.2, <32 x i64> <i64 0, i64 20, i64 40, i64 60, i64 80, i64 100, i64 120, i64 140, i64 160, i64 180, i64 200, i64 220, i64 240, i64 260, i64 280, i64 300, i64 320, i64 340, i64 360, i64 380, i64 400, i64 420, i64 440, i64 460, i64 480, i64 500, i64 520, i64 540, i64 560, i64 580, i64 600, i64 620>
  %word.2 = call <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr> align 4 %places.2, <32 x i1> splat (i1 true), <32 x i32> poison)
  %sum = add <32 x i32> %word.0, %word.1
  %difference = sub <32 x i32> %word.0, %word.2
  %at.0 = add i64 %to, 4
  %ptr.0 = inttoptr i64 %at.0 to ptr
  call void @spmd.scatter.32.strided(<32 x i32> %sum, ptr %ptr.0, i64 12, i32 -1)
  %ptr.1 = inttoptr i64 %to to ptr
  call void @spmd.scatter.32.strided(<32 x i32> %difference, ptr %ptr.1, i64 12, i32 -1)
  %at.2 = add i64 %to, 12
  %ptr.2 = inttoptr i64 %at.2 to ptr
  call void @spmd.scatter.32.strided(<32 x i32> %word.2, ptr %ptr.2, i64 12, i32 -1)
  ret void
}

; becomes

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr>, <32 x i1>, <32 x i32>) #0

declare void @spmd.scatter.32.strided(<32 x i32>, ptr, i64, i32)

define void @warp(ptr %from, i64 %to) {
  %1 = getelementptr i8, ptr %from, i64 8
  %2 = load <2 x i32>, ptr %1, align 4
  %3 = shufflevector <2 x i32> %2, <2 x i32> %2, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %4 = getelementptr i8, ptr %from, i64 16
  %5 = load i32, ptr %4, align 4
  %6 = insertelement <4 x i32> %3, i32 %5, i32 2
  %7 = getelementptr i8, ptr %from, i64 88
  %8 = load <2 x i32>, ptr %7, align 4
  %9 = shufflevector <2 x i32> %8, <2 x i32> %8, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %10 = getelementptr i8, ptr %from, i64 96
  %11 = load i32, ptr %10, align 4
  %12 = insertelement <4 x i32> %9, i32 %11, i32 2
  %13 = shufflevector <4 x i32> %6, <4 x i32> %12, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %14 = getelementptr i8, ptr %from, i64 28
  %15 = load <2 x i32>, ptr %14, align 4
  %16 = shufflevector <2 x i32> %15, <2 x i32> %15, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %17 = getelementptr i8, ptr %from, i64 36
  %18 = load i32, ptr %17, align 4
  %19 = insertelement <4 x i32> %16, i32 %18, i32 2
  %20 = getelementptr i8, ptr %from, i64 108
  %21 = load <2 x i32>, ptr %20, align 4
  %22 = shufflevector <2 x i32> %21, <2 x i32> %21, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %23 = getelementptr i8, ptr %from, i64 116
  %24 = load i32, ptr %23, align 4
  %25 = insertelement <4 x i32> %22, i32 %24, i32 2
  %26 = shufflevector <4 x i32> %19, <4 x i32> %25, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %27 = getelementptr i8, ptr %from, i64 48
  %28 = load <2 x i32>, ptr %27, align 4
  %29 = shufflevector <2 x i32> %28, <2 x i32> %28, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %30 = getelementptr i8, ptr %from, i64 56
  %31 = load i32, ptr %30, align 4
  %32 = insertelement <4 x i32> %29, i32 %31, i32 2
  %33 = getelementptr i8, ptr %from, i64 128
  %34 = load <2 x i32>, ptr %33, align 4
  %35 = shufflevector <2 x i32> %34, <2 x i32> %34, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %36 = getelementptr i8, ptr %from, i64 136
  %37 = load i32, ptr %36, align 4
  %38 = insertelement <4 x i32> %35, i32 %37, i32 2
  %39 = shufflevector <4 x i32> %32, <4 x i32> %38, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %40 = getelementptr i8, ptr %from, i64 68
  %41 = load <2 x i32>, ptr %40, align 4
  %42 = shufflevector <2 x i32> %41, <2 x i32> %41, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %43 = getelementptr i8, ptr %from, i64 76
  %44 = load i32, ptr %43, align 4
  %45 = insertelement <4 x i32> %42, i32 %44, i32 2
  %46 = getelementptr i8, ptr %from, i64 148
  %47 = load <2 x i32>, ptr %46, align 4
  %48 = shufflevector <2 x i32> %47, <2 x i32> %47, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %49 = getelementptr i8, ptr %from, i64 156
  %50 = load i32, ptr %49, align 4
  %51 = insertelement <4 x i32> %48, i32 %50, i32 2
  %52 = shufflevector <4 x i32> %45, <4 x i32> %51, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %53 = shufflevector <8 x i32> %13, <8 x i32> %26, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %54 = shufflevector <8 x i32> %39, <8 x i32> %52, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %55 = shufflevector <8 x i32> %13, <8 x i32> %26, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %56 = shufflevector <8 x i32> %39, <8 x i32> %52, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %57 = shufflevector <8 x i32> %53, <8 x i32> %54, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %58 = shufflevector <8 x i32> %53, <8 x i32> %54, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %59 = shufflevector <8 x i32> %55, <8 x i32> %56, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %60 = shufflevector <8 x i32> %55, <8 x i32> %56, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %61 = getelementptr i8, ptr %from, i64 168
  %62 = load <2 x i32>, ptr %61, align 4
  %63 = shufflevector <2 x i32> %62, <2 x i32> %62, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %64 = getelementptr i8, ptr %from, i64 176
  %65 = load i32, ptr %64, align 4
  %66 = insertelement <4 x i32> %63, i32 %65, i32 2
  %67 = getelementptr i8, ptr %from, i64 248
  %68 = load <2 x i32>, ptr %67, align 4
  %69 = shufflevector <2 x i32> %68, <2 x i32> %68, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %70 = getelementptr i8, ptr %from, i64 256
  %71 = load i32, ptr %70, align 4
  %72 = insertelement <4 x i32> %69, i32 %71, i32 2
  %73 = shufflevector <4 x i32> %66, <4 x i32> %72, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %74 = getelementptr i8, ptr %from, i64 188
  %75 = load <2 x i32>, ptr %74, align 4
  %76 = shufflevector <2 x i32> %75, <2 x i32> %75, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %77 = getelementptr i8, ptr %from, i64 196
  %78 = load i32, ptr %77, align 4
  %79 = insertelement <4 x i32> %76, i32 %78, i32 2
  %80 = getelementptr i8, ptr %from, i64 268
  %81 = load <2 x i32>, ptr %80, align 4
  %82 = shufflevector <2 x i32> %81, <2 x i32> %81, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %83 = getelementptr i8, ptr %from, i64 276
  %84 = load i32, ptr %83, align 4
  %85 = insertelement <4 x i32> %82, i32 %84, i32 2
  %86 = shufflevector <4 x i32> %79, <4 x i32> %85, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %87 = getelementptr i8, ptr %from, i64 208
  %88 = load <2 x i32>, ptr %87, align 4
  %89 = shufflevector <2 x i32> %88, <2 x i32> %88, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %90 = getelementptr i8, ptr %from, i64 216
  %91 = load i32, ptr %90, align 4
  %92 = insertelement <4 x i32> %89, i32 %91, i32 2
  %93 = getelementptr i8, ptr %from, i64 288
  %94 = load <2 x i32>, ptr %93, align 4
  %95 = shufflevector <2 x i32> %94, <2 x i32> %94, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %96 = getelementptr i8, ptr %from, i64 296
  %97 = load i32, ptr %96, align 4
  %98 = insertelement <4 x i32> %95, i32 %97, i32 2
  %99 = shufflevector <4 x i32> %92, <4 x i32> %98, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %100 = getelementptr i8, ptr %from, i64 228
  %101 = load <2 x i32>, ptr %100, align 4
  %102 = shufflevector <2 x i32> %101, <2 x i32> %101, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %103 = getelementptr i8, ptr %from, i64 236
  %104 = load i32, ptr %103, align 4
  %105 = insertelement <4 x i32> %102, i32 %104, i32 2
  %106 = getelementptr i8, ptr %from, i64 308
  %107 = load <2 x i32>, ptr %106, align 4
  %108 = shufflevector <2 x i32> %107, <2 x i32> %107, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %109 = getelementptr i8, ptr %from, i64 316
  %110 = load i32, ptr %109, align 4
  %111 = insertelement <4 x i32> %108, i32 %110, i32 2
  %112 = shufflevector <4 x i32> %105, <4 x i32> %111, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %113 = shufflevector <8 x i32> %73, <8 x i32> %86, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %114 = shufflevector <8 x i32> %99, <8 x i32> %112, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %115 = shufflevector <8 x i32> %73, <8 x i32> %86, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %116 = shufflevector <8 x i32> %99, <8 x i32> %112, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %117 = shufflevector <8 x i32> %113, <8 x i32> %114, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %118 = shufflevector <8 x i32> %113, <8 x i32> %114, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %119 = shufflevector <8 x i32> %115, <8 x i32> %116, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %120 = shufflevector <8 x i32> %115, <8 x i32> %116, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %121 = getelementptr i8, ptr %from, i64 328
  %122 = load <2 x i32>, ptr %121, align 4
  %123 = shufflevector <2 x i32> %122, <2 x i32> %122, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %124 = getelementptr i8, ptr %from, i64 336
  %125 = load i32, ptr %124, align 4
  %126 = insertelement <4 x i32> %123, i32 %125, i32 2
  %127 = getelementptr i8, ptr %from, i64 408
  %128 = load <2 x i32>, ptr %127, align 4
  %129 = shufflevector <2 x i32> %128, <2 x i32> %128, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %130 = getelementptr i8, ptr %from, i64 416
  %131 = load i32, ptr %130, align 4
  %132 = insertelement <4 x i32> %129, i32 %131, i32 2
  %133 = shufflevector <4 x i32> %126, <4 x i32> %132, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %134 = getelementptr i8, ptr %from, i64 348
  %135 = load <2 x i32>, ptr %134, align 4
  %136 = shufflevector <2 x i32> %135, <2 x i32> %135, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %137 = getelementptr i8, ptr %from, i64 356
  %138 = load i32, ptr %137, align 4
  %139 = insertelement <4 x i32> %136, i32 %138, i32 2
  %140 = getelementptr i8, ptr %from, i64 428
  %141 = load <2 x i32>, ptr %140, align 4
  %142 = shufflevector <2 x i32> %141, <2 x i32> %141, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %143 = getelementptr i8, ptr %from, i64 436
  %144 = load i32, ptr %143, align 4
  %145 = insertelement <4 x i32> %142, i32 %144, i32 2
  %146 = shufflevector <4 x i32> %139, <4 x i32> %145, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %147 = getelementptr i8, ptr %from, i64 368
  %148 = load <2 x i32>, ptr %147, align 4
  %149 = shufflevector <2 x i32> %148, <2 x i32> %148, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %150 = getelementptr i8, ptr %from, i64 376
  %151 = load i32, ptr %150, align 4
  %152 = insertelement <4 x i32> %149, i32 %151, i32 2
  %153 = getelementptr i8, ptr %from, i64 448
  %154 = load <2 x i32>, ptr %153, align 4
  %155 = shufflevector <2 x i32> %154, <2 x i32> %154, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %156 = getelementptr i8, ptr %from, i64 456
  %157 = load i32, ptr %156, align 4
  %158 = insertelement <4 x i32> %155, i32 %157, i32 2
  %159 = shufflevector <4 x i32> %152, <4 x i32> %158, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %160 = getelementptr i8, ptr %from, i64 388
  %161 = load <2 x i32>, ptr %160, align 4
  %162 = shufflevector <2 x i32> %161, <2 x i32> %161, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %163 = getelementptr i8, ptr %from, i64 396
  %164 = load i32, ptr %163, align 4
  %165 = insertelement <4 x i32> %162, i32 %164, i32 2
  %166 = getelementptr i8, ptr %from, i64 468
  %167 = load <2 x i32>, ptr %166, align 4
  %168 = shufflevector <2 x i32> %167, <2 x i32> %167, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %169 = getelementptr i8, ptr %from, i64 476
  %170 = load i32, ptr %169, align 4
  %171 = insertelement <4 x i32> %168, i32 %170, i32 2
  %172 = shufflevector <4 x i32> %165, <4 x i32> %171, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %173 = shufflevector <8 x i32> %133, <8 x i32> %146, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %174 = shufflevector <8 x i32> %159, <8 x i32> %172, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %175 = shufflevector <8 x i32> %133, <8 x i32> %146, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %176 = shufflevector <8 x i32> %159, <8 x i32> %172, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %177 = shufflevector <8 x i32> %173, <8 x i32> %174, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %178 = shufflevector <8 x i32> %173, <8 x i32> %174, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %179 = shufflevector <8 x i32> %175, <8 x i32> %176, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %180 = shufflevector <8 x i32> %175, <8 x i32> %176, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %181 = getelementptr i8, ptr %from, i64 488
  %182 = load <2 x i32>, ptr %181, align 4
  %183 = shufflevector <2 x i32> %182, <2 x i32> %182, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %184 = getelementptr i8, ptr %from, i64 496
  %185 = load i32, ptr %184, align 4
  %186 = insertelement <4 x i32> %183, i32 %185, i32 2
  %187 = getelementptr i8, ptr %from, i64 568
  %188 = load <2 x i32>, ptr %187, align 4
  %189 = shufflevector <2 x i32> %188, <2 x i32> %188, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %190 = getelementptr i8, ptr %from, i64 576
  %191 = load i32, ptr %190, align 4
  %192 = insertelement <4 x i32> %189, i32 %191, i32 2
  %193 = shufflevector <4 x i32> %186, <4 x i32> %192, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %194 = getelementptr i8, ptr %from, i64 508
  %195 = load <2 x i32>, ptr %194, align 4
  %196 = shufflevector <2 x i32> %195, <2 x i32> %195, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %197 = getelementptr i8, ptr %from, i64 516
  %198 = load i32, ptr %197, align 4
  %199 = insertelement <4 x i32> %196, i32 %198, i32 2
  %200 = getelementptr i8, ptr %from, i64 588
  %201 = load <2 x i32>, ptr %200, align 4
  %202 = shufflevector <2 x i32> %201, <2 x i32> %201, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %203 = getelementptr i8, ptr %from, i64 596
  %204 = load i32, ptr %203, align 4
  %205 = insertelement <4 x i32> %202, i32 %204, i32 2
  %206 = shufflevector <4 x i32> %199, <4 x i32> %205, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %207 = getelementptr i8, ptr %from, i64 528
  %208 = load <2 x i32>, ptr %207, align 4
  %209 = shufflevector <2 x i32> %208, <2 x i32> %208, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %210 = getelementptr i8, ptr %from, i64 536
  %211 = load i32, ptr %210, align 4
  %212 = insertelement <4 x i32> %209, i32 %211, i32 2
  %213 = getelementptr i8, ptr %from, i64 608
  %214 = load <2 x i32>, ptr %213, align 4
  %215 = shufflevector <2 x i32> %214, <2 x i32> %214, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %216 = getelementptr i8, ptr %from, i64 616
  %217 = load i32, ptr %216, align 4
  %218 = insertelement <4 x i32> %215, i32 %217, i32 2
  %219 = shufflevector <4 x i32> %212, <4 x i32> %218, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %220 = getelementptr i8, ptr %from, i64 548
  %221 = load <2 x i32>, ptr %220, align 4
  %222 = shufflevector <2 x i32> %221, <2 x i32> %221, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %223 = getelementptr i8, ptr %from, i64 556
  %224 = load i32, ptr %223, align 4
  %225 = insertelement <4 x i32> %222, i32 %224, i32 2
  %226 = getelementptr i8, ptr %from, i64 628
  %227 = load <2 x i32>, ptr %226, align 4
  %228 = shufflevector <2 x i32> %227, <2 x i32> %227, <4 x i32> <i32 0, i32 1, i32 poison, i32 poison>
  %229 = getelementptr i8, ptr %from, i64 636
  %230 = load i32, ptr %229, align 4
  %231 = insertelement <4 x i32> %228, i32 %230, i32 2
  %232 = shufflevector <4 x i32> %225, <4 x i32> %231, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %233 = shufflevector <8 x i32> %193, <8 x i32> %206, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %234 = shufflevector <8 x i32> %219, <8 x i32> %232, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %235 = shufflevector <8 x i32> %193, <8 x i32> %206, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %236 = shufflevector <8 x i32> %219, <8 x i32> %232, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %237 = shufflevector <8 x i32> %233, <8 x i32> %234, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %238 = shufflevector <8 x i32> %233, <8 x i32> %234, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %239 = shufflevector <8 x i32> %235, <8 x i32> %236, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %240 = shufflevector <8 x i32> %235, <8 x i32> %236, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %241 = shufflevector <8 x i32> %57, <8 x i32> %117, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %242 = shufflevector <8 x i32> %58, <8 x i32> %118, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %243 = shufflevector <8 x i32> %59, <8 x i32> %119, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %244 = shufflevector <8 x i32> %60, <8 x i32> %120, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %245 = shufflevector <8 x i32> %177, <8 x i32> %237, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %246 = shufflevector <8 x i32> %178, <8 x i32> %238, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %247 = shufflevector <8 x i32> %179, <8 x i32> %239, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %248 = shufflevector <8 x i32> %180, <8 x i32> %240, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %249 = shufflevector <16 x i32> %241, <16 x i32> %245, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %250 = shufflevector <16 x i32> %242, <16 x i32> %246, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %251 = shufflevector <16 x i32> %243, <16 x i32> %247, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %252 = shufflevector <16 x i32> %244, <16 x i32> %248, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %sum = add <32 x i32> %249, %250
  %difference = sub <32 x i32> %249, %251
  %at.0 = add i64 %to, 4
  %ptr.0 = inttoptr i64 %at.0 to ptr
  %ptr.1 = inttoptr i64 %to to ptr
  %253 = shufflevector <32 x i32> %difference, <32 x i32> %difference, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %254 = shufflevector <32 x i32> %sum, <32 x i32> %sum, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %255 = shufflevector <8 x i32> %253, <8 x i32> %254, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %256 = shufflevector <8 x i32> %253, <8 x i32> %254, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %257 = shufflevector <8 x i32> %255, <8 x i32> poison, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %258 = shufflevector <8 x i32> %255, <8 x i32> poison, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %259 = shufflevector <8 x i32> %256, <8 x i32> poison, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %260 = shufflevector <8 x i32> %256, <8 x i32> poison, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %261 = inttoptr i64 %to to ptr
  %262 = getelementptr i8, ptr %261, i64 0
  %263 = shufflevector <8 x i32> %257, <8 x i32> %257, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %263, ptr %262, align 4
  %264 = inttoptr i64 %to to ptr
  %265 = getelementptr i8, ptr %264, i64 48
  %266 = shufflevector <8 x i32> %257, <8 x i32> %257, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %266, ptr %265, align 4
  %267 = inttoptr i64 %to to ptr
  %268 = getelementptr i8, ptr %267, i64 12
  %269 = shufflevector <8 x i32> %258, <8 x i32> %258, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %269, ptr %268, align 4
  %270 = inttoptr i64 %to to ptr
  %271 = getelementptr i8, ptr %270, i64 60
  %272 = shufflevector <8 x i32> %258, <8 x i32> %258, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %272, ptr %271, align 4
  %273 = inttoptr i64 %to to ptr
  %274 = getelementptr i8, ptr %273, i64 24
  %275 = shufflevector <8 x i32> %259, <8 x i32> %259, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %275, ptr %274, align 4
  %276 = inttoptr i64 %to to ptr
  %277 = getelementptr i8, ptr %276, i64 72
  %278 = shufflevector <8 x i32> %259, <8 x i32> %259, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %278, ptr %277, align 4
  %279 = inttoptr i64 %to to ptr
  %280 = getelementptr i8, ptr %279, i64 36
  %281 = shufflevector <8 x i32> %260, <8 x i32> %260, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %281, ptr %280, align 4
  %282 = inttoptr i64 %to to ptr
  %283 = getelementptr i8, ptr %282, i64 84
  %284 = shufflevector <8 x i32> %260, <8 x i32> %260, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %284, ptr %283, align 4
  %285 = shufflevector <32 x i32> %difference, <32 x i32> %difference, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %286 = shufflevector <32 x i32> %sum, <32 x i32> %sum, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %287 = shufflevector <8 x i32> %285, <8 x i32> %286, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %288 = shufflevector <8 x i32> %285, <8 x i32> %286, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %289 = shufflevector <8 x i32> %287, <8 x i32> poison, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %290 = shufflevector <8 x i32> %287, <8 x i32> poison, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %291 = shufflevector <8 x i32> %288, <8 x i32> poison, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %292 = shufflevector <8 x i32> %288, <8 x i32> poison, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %293 = inttoptr i64 %to to ptr
  %294 = getelementptr i8, ptr %293, i64 96
  %295 = shufflevector <8 x i32> %289, <8 x i32> %289, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %295, ptr %294, align 4
  %296 = inttoptr i64 %to to ptr
  %297 = getelementptr i8, ptr %296, i64 144
  %298 = shufflevector <8 x i32> %289, <8 x i32> %289, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %298, ptr %297, align 4
  %299 = inttoptr i64 %to to ptr
  %300 = getelementptr i8, ptr %299, i64 108
  %301 = shufflevector <8 x i32> %290, <8 x i32> %290, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %301, ptr %300, align 4
  %302 = inttoptr i64 %to to ptr
  %303 = getelementptr i8, ptr %302, i64 156
  %304 = shufflevector <8 x i32> %290, <8 x i32> %290, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %304, ptr %303, align 4
  %305 = inttoptr i64 %to to ptr
  %306 = getelementptr i8, ptr %305, i64 120
  %307 = shufflevector <8 x i32> %291, <8 x i32> %291, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %307, ptr %306, align 4
  %308 = inttoptr i64 %to to ptr
  %309 = getelementptr i8, ptr %308, i64 168
  %310 = shufflevector <8 x i32> %291, <8 x i32> %291, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %310, ptr %309, align 4
  %311 = inttoptr i64 %to to ptr
  %312 = getelementptr i8, ptr %311, i64 132
  %313 = shufflevector <8 x i32> %292, <8 x i32> %292, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %313, ptr %312, align 4
  %314 = inttoptr i64 %to to ptr
  %315 = getelementptr i8, ptr %314, i64 180
  %316 = shufflevector <8 x i32> %292, <8 x i32> %292, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %316, ptr %315, align 4
  %317 = shufflevector <32 x i32> %difference, <32 x i32> %difference, <8 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %318 = shufflevector <32 x i32> %sum, <32 x i32> %sum, <8 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
  %319 = shufflevector <8 x i32> %317, <8 x i32> %318, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %320 = shufflevector <8 x i32> %317, <8 x i32> %318, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %321 = shufflevector <8 x i32> %319, <8 x i32> poison, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %322 = shufflevector <8 x i32> %319, <8 x i32> poison, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %323 = shufflevector <8 x i32> %320, <8 x i32> poison, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %324 = shufflevector <8 x i32> %320, <8 x i32> poison, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %325 = inttoptr i64 %to to ptr
  %326 = getelementptr i8, ptr %325, i64 192
  %327 = shufflevector <8 x i32> %321, <8 x i32> %321, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %327, ptr %326, align 4
  %328 = inttoptr i64 %to to ptr
  %329 = getelementptr i8, ptr %328, i64 240
  %330 = shufflevector <8 x i32> %321, <8 x i32> %321, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %330, ptr %329, align 4
  %331 = inttoptr i64 %to to ptr
  %332 = getelementptr i8, ptr %331, i64 204
  %333 = shufflevector <8 x i32> %322, <8 x i32> %322, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %333, ptr %332, align 4
  %334 = inttoptr i64 %to to ptr
  %335 = getelementptr i8, ptr %334, i64 252
  %336 = shufflevector <8 x i32> %322, <8 x i32> %322, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %336, ptr %335, align 4
  %337 = inttoptr i64 %to to ptr
  %338 = getelementptr i8, ptr %337, i64 216
  %339 = shufflevector <8 x i32> %323, <8 x i32> %323, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %339, ptr %338, align 4
  %340 = inttoptr i64 %to to ptr
  %341 = getelementptr i8, ptr %340, i64 264
  %342 = shufflevector <8 x i32> %323, <8 x i32> %323, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %342, ptr %341, align 4
  %343 = inttoptr i64 %to to ptr
  %344 = getelementptr i8, ptr %343, i64 228
  %345 = shufflevector <8 x i32> %324, <8 x i32> %324, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %345, ptr %344, align 4
  %346 = inttoptr i64 %to to ptr
  %347 = getelementptr i8, ptr %346, i64 276
  %348 = shufflevector <8 x i32> %324, <8 x i32> %324, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %348, ptr %347, align 4
  %349 = shufflevector <32 x i32> %difference, <32 x i32> %difference, <8 x i32> <i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %350 = shufflevector <32 x i32> %sum, <32 x i32> %sum, <8 x i32> <i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %351 = shufflevector <8 x i32> %349, <8 x i32> %350, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %352 = shufflevector <8 x i32> %349, <8 x i32> %350, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %353 = shufflevector <8 x i32> %351, <8 x i32> poison, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %354 = shufflevector <8 x i32> %351, <8 x i32> poison, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %355 = shufflevector <8 x i32> %352, <8 x i32> poison, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %356 = shufflevector <8 x i32> %352, <8 x i32> poison, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %357 = inttoptr i64 %to to ptr
  %358 = getelementptr i8, ptr %357, i64 288
  %359 = shufflevector <8 x i32> %353, <8 x i32> %353, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %359, ptr %358, align 4
  %360 = inttoptr i64 %to to ptr
  %361 = getelementptr i8, ptr %360, i64 336
  %362 = shufflevector <8 x i32> %353, <8 x i32> %353, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %362, ptr %361, align 4
  %363 = inttoptr i64 %to to ptr
  %364 = getelementptr i8, ptr %363, i64 300
  %365 = shufflevector <8 x i32> %354, <8 x i32> %354, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %365, ptr %364, align 4
  %366 = inttoptr i64 %to to ptr
  %367 = getelementptr i8, ptr %366, i64 348
  %368 = shufflevector <8 x i32> %354, <8 x i32> %354, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %368, ptr %367, align 4
  %369 = inttoptr i64 %to to ptr
  %370 = getelementptr i8, ptr %369, i64 312
  %371 = shufflevector <8 x i32> %355, <8 x i32> %355, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %371, ptr %370, align 4
  %372 = inttoptr i64 %to to ptr
  %373 = getelementptr i8, ptr %372, i64 360
  %374 = shufflevector <8 x i32> %355, <8 x i32> %355, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %374, ptr %373, align 4
  %375 = inttoptr i64 %to to ptr
  %376 = getelementptr i8, ptr %375, i64 324
  %377 = shufflevector <8 x i32> %356, <8 x i32> %356, <2 x i32> <i32 0, i32 1>
  store <2 x i32> %377, ptr %376, align 4
  %378 = inttoptr i64 %to to ptr
  %379 = getelementptr i8, ptr %378, i64 372
  %380 = shufflevector <8 x i32> %356, <8 x i32> %356, <2 x i32> <i32 4, i32 5>
  store <2 x i32> %380, ptr %379, align 4
  %at.2 = add i64 %to, 12
  %ptr.2 = inttoptr i64 %at.2 to ptr
  call void @spmd.scatter.32.strided(<32 x i32> %251, ptr %ptr.2, i64 12, i32 -1)
  ret void
}

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(read) }
